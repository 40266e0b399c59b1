import { expect, it } from 'vitest';
import { nameHint } from './near-match.ts';

it.each([
  ['a near name', 'Temprature', ['AIConfiguration', 'Temperature'], "Did you mean 'Temperature'?"],
  [
    'all names when none is near',
    'Colour',
    ['AIConfiguration', 'Temperature'],
    'There are: AIConfiguration, Temperature.',
  ],
  ['each name once', 'Colour', ['a', 'a', 'b'], 'There are: a, b.'],
  ['that there is none', 'Colour', [], 'The project defines none.'],
  [
    'at most twenty names',
    'Colour',
    Array.from({ length: 22 }, (_, index) => `n${index}`),
    `There are: ${Array.from({ length: 20 }, (_, index) => `n${index}`).join(', ')} and 2 more.`,
  ],
])('a name that leads nowhere is answered with %s (S4-85)', (_what, given, known, hint) => {
  expect(nameHint(given, known, 'The project defines none.')).toBe(hint);
});
