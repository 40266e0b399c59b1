import { describe, expect, test } from 'vitest';
import { matchesPattern, PathPattern } from './path-pattern.ts';

describe('a pattern fits as it does in a shell', () => {
  test.for([
    ['evals/a.suite.yaml', '**/*.suite.{yaml,yml,json}', true],
    ['a.suite.json', '**/*.suite.{yaml,yml,json}', true],
    ['.hidden/a.suite.yaml', '**/*.suite.{yaml,yml,json}', false],
    ['.github/workflows/gate.yml', '.github/**', true],
    ['src', 'src/**', false],
    ['src/a/b.ts', 'src/**', true],
    ['src/a.ts', 'src/**/a.ts', true],
    ['src/x/y/a.ts', 'src/**/a.ts', true],
    ['src/a.ts', './src/*.ts', true],
    ['src/ab.ts', 'src/?b.[jt]s', true],
    ['src/ab.ts', 'src/[!a]b.ts', false],
    ['src/cb.ts', 'src/[a-d]b.ts', true],
    ['prices/eu/de.json', 'prices/{eu/{de,fr},us/*}.json', true],
    ['prices/us/ny.json', 'prices/{eu/{de,fr},us/*}.json', true],
    ['prices/eu/es.json', 'prices/{eu/{de,fr},us/*}.json', false],
    ['a{b}.md', 'a{b}.md', true],
  ] as const)('%s and %s', ([path, pattern, fits]) => {
    expect(matchesPattern(path, pattern)).toBe(fits);
  });
});

test.for([
  ['{1..100000}', 'ranges in braces are not read'],
  [`src/${'{a,b}'.repeat(10)}`, 'more than 64 choices'],
  ['a'.repeat(301), 'Too big'],
])('a pattern that would take long is refused: %s', ([pattern = '', why = '']) => {
  expect(JSON.stringify(PathPattern.safeParse(pattern).error?.issues)).toContain(why);
});

test.for([
  ['*a'.repeat(150), 'a'.repeat(4_000)],
  ['**/'.repeat(100), `${'a/'.repeat(2_000)}b`],
  ['{a,b}'.repeat(60), 'a'.repeat(60)],
  ['{1..100000}', 'aaaa'],
  ['+(a|aa)+(a|aa)+(a|aa)b', 'a'.repeat(200)],
])('no pattern takes longer than a moment: %s', ([pattern = '', path = '']) => {
  const before = process.cpuUsage();
  matchesPattern(path, pattern);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(100);
});
