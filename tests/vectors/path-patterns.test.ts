import { posix } from 'node:path';
import { matchesPattern } from '@proofmark/contracts/path-pattern';
import fc from 'fast-check';
import { expect, test } from 'vitest';

test('a pattern fits what it fits in the matcher of Node', () => {
  const part = fc
    .array(fc.constantFrom('a', 'b', '.', '*', '?', '[ab]', '[!a]', 'c', '{a,b}', '{a,*}'), {
      minLength: 1,
      maxLength: 5,
    })
    .map((pieces) => pieces.join(''));
  const pattern = fc
    .array(fc.oneof(part, fc.constant('**')), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join('/'));
  const name = fc
    .array(fc.constantFrom('a', 'b', 'c', '.'), { minLength: 1, maxLength: 5 })
    .map((letters) => letters.join(''));
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
  const isOdd = (text: string) =>
    text.split('/').some((one) => /^\.{1,2}$/.test(one)) || /\*\*\*|[^/]\*\*|\*\*[^/]/.test(text);
  fc.assert(
    fc.property(path, pattern, (given, wanted) => {
      fc.pre(!isOdd(given) && !isOdd(wanted) && !isOdd(wanted.replaceAll(/\{[^}]*\}/g, '.')));
      expect(matchesPattern(given, wanted)).toBe(posix.matchesGlob(given, wanted));
    }),
    { numRuns: 2_000 },
  );
});
