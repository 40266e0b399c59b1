import { expect, test } from 'vitest';
import { withoutCommands } from './visible-text.ts';

test('a line that begins with a command gets a bar before it, and one that holds an old one a gap inside', () => {
  expect(withoutCommands('::error::a\r \u00a0::b\n\n  ::c\u2028::d e::f\n[x] ##[group]g ###[h]')).toBe(
    '│ ::error::a\r \u00a0│ ::b\n\n  │ ::c\u2028│ ::d e::f\n[x] # #[group]g ## #[h]',
  );
});

test('a very long text of blanks and colons takes no more time than another', () => {
  const text = `${' \n'.repeat(200_000)}${' '.repeat(200_000)}:`;
  const begun = performance.now();
  expect(withoutCommands(text)).toBe(text);
  expect(performance.now() - begun).toBeLessThan(1000);
});
