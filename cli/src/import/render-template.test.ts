import { expect, test } from 'vitest';
import { renderTemplate } from './render-template.ts';

const values = { n: '1', ten: 10, none: [], name: 'Ann', empty: null };

test.each([
  ['{% if n == 1 %}yes{% else %}no{% endif %}', 'yes'],
  ['{% if n != 1 %}yes{% else %}no{% endif %}', 'no'],
  ['{% if n === 1 %}yes{% else %}no{% endif %}', 'no'],
  ['{% if empty == unknown and n != empty %}yes{% else %}no{% endif %}', 'yes'],
  ['{% if none %}yes{% else %}no{% endif %}', 'yes'],
  ['{% if none | length %}yes{% else %}no{% endif %}', 'no'],
  ['{% if "apple" < "banana" %}yes{% else %}no{% endif %}', 'yes'],
  ['{% if "9" > ten %}yes{% else %}no{% endif %}', 'no'],
  ['{% if "9" > "10" %}yes{% else %}no{% endif %}', 'yes'],
  ['{{ \'say "Hi"\' }}', 'say "Hi"'],
])('%s says what nunjucks says: %s', (template, text) => {
  expect(renderTemplate(template, values)).toEqual({ ok: true, text });
});

test.each([
  ['{{ "Hi " ~ name ~ "!" }}', 'it uses the template expression {{"Hi " ~ name ~ "!"}}'],
  ['{{ none | join(",", "name") }}', 'it uses the template expression {{",", "name"}}'],
  ['{% if none == n %}yes{% endif %}', 'it compares a list or an object with a plain value'],
  ['{% if none < n %}yes{% endif %}', 'it compares a list or an object by <'],
])('%s is refused: %s', (template, reason) => {
  expect(renderTemplate(template, values)).toEqual({ ok: false, reason });
});
