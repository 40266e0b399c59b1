import { expect, test } from 'vitest';
import { escapeBeyondAscii } from './build-program.ts';

test('a program in ASCII says and finds the same', async () => {
  const code = 'export const said = `é … 😀 ß`; export const found = /^[–😀]…$/u.test("😀…"); export const größe = 1;';
  const escaped = escapeBeyondAscii(code);

  expect(escaped).toMatch(/^[\0-\x7f]*$/);
  expect(await import(`data:text/javascript,${encodeURIComponent(escaped)}`)).toMatchObject({
    ...{ said: 'é … 😀 ß', found: true, größe: 1 },
  });
});
