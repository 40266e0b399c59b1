import { expect, test } from 'vitest';
import { visible } from './visible.ts';

test('text that hides or turns letters round is seen for what it is', () => {
  expect(visible('\u{202E}evil\u{202C} a\u{200B}b \0\u{E0041}')).toBe(
    '\\u{202E}evil\\u{202C} a\\u{200B}b \\u{0000}\\u{E0041}',
  );
});

test('markup, lines, emoji and other writing are ordinary text', () => {
  const text = '<img src=x>\n\tDzień dobry 👩‍🚒 می‌خواهم ✔️';
  expect(visible(text)).toBe(text);
  expect(visible('a\r\nb')).toBe('a\nb');
});
