import { expect, test } from 'vitest';
import { problemsOf, suiteOf } from '../load/sample-files.fixture.ts';

const largestBytes = 262_144;
/** As many of them as a file may hold. */
function full(head: string, line: (index: number) => string): string {
  const lines = [head];
  for (let index = 0, bytes = Buffer.byteLength(head) + 300; bytes < largestBytes; index += 1) {
    const next = line(index);
    bytes += Buffer.byteLength(next);
    lines.push(next);
  }
  return lines.join('');
}
const cases = (line: (index: number) => string): string => full(suiteOf('cases:'), (index) => `  - ${line(index)}\n`);
const checks = 'expected_behavior: { checks: [{ type: contains_phrases, phrases: [hi] }] }';

test.each([
  ['D1', 'a file of 20 MB', 'x'.repeat(20_000_000), 'file too large'],
  ['D2', 'bytes that are not UTF-8', new Uint8Array(largestBytes).fill(0xff), 'not valid UTF-8'],
  [
    'D3',
    'escaped control characters',
    full('', (index) => String.raw`k${index}: "\u0007\ud800"${'\n'}`),
    'control character',
  ],
  ['D4', 'one document after the other', full('name: a\n', () => '---\na: b\n'), 'more than one document'],
  ['D5', 'tabs', full('name: a\ncases:\n', () => '\t- b\n'), 'tab'],
  [
    'D6',
    'spaces within a text, and',
    full(`name: a${' '.repeat(200_000)}b\n`, () => 'tags: [b]\n'),
    'duplicate key `tags`',
  ],
  ['D6', 'one key again and again', full('name: a\n', () => 'tags: [b]\n'), 'duplicate key `tags`'],
  ['D6', 'one name again and again', cases(() => `{ name: C, input: hi, ${checks} }`), 'C'],
  ['D7', 'nothing but brackets', full('', () => '['), 'nested'],
  [
    'D8',
    'aliases of aliases',
    full(
      'name: a\nvariables:\n  a0: &a0 [1, 2]\n',
      (index) => `  a${index + 1}: &a${index + 1} [*a${index}, *a${index}]\n`,
    ),
    'alias',
  ],
  ['D9', 'tags', full('name: a\n', (index) => `k${index}: !!js/function "x"\n`), 'tag'],
  ['D10', 'merge keys', full('name: a\nvariables: &v { a: 1 }\n', (index) => `k${index}: { <<: *v }\n`), '<<'],
  ['D11', 'values of another type', cases(() => `{ name: 5, input: 2020-01-01, ${checks} }`), 'must be a string'],
  ['D12', 'numbers beyond all bounds', full(suiteOf('variables:'), (index) => `  k${index}: 1e400\n`), 'finite'],
  ['D14', 'keys that there are not', cases((index) => `{ name: C${index}, inptu: hi, ${checks} }`), 'did you mean'],
  ['D15', 'blank names', cases(() => `{ name: "\u200b", input: " ", ${checks} }`), 'blank'],
  ['D15', 'a name without end', suiteOf(`cases:\n  - { name: ${'n'.repeat(200_000)}, input: hi, ${checks} }`), '255'],
  [
    'D16',
    'a matrix of 10^30 cells',
    suiteOf(
      `matrix: { ${Array.from({ length: 30 }, (_, axis) => `A${axis}: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]`).join(', ')} }\ncases:\n  - { name: C, input: hi, ${checks} }`,
    ),
    'limit 256',
  ],
  [
    'D16',
    'more test runs than a run may have',
    suiteOf(`repetitions: 1000000\ncases:\n  - { name: C, input: hi, ${checks} }`),
    'at most 100',
  ],
  [
    'D17',
    'numbers out of range',
    cases((index) => `{ name: C${index}, input: hi, max_turns: 0, ${checks} }`),
    'at least 1',
  ],
  [
    'D18',
    'variables that nobody knows',
    full(
      suiteOf(`cases:
  - { name: C, input: hi, ${checks} }
variables:`),
      (index) => `  A${index}: 1
`,
    ),
    'A0',
  ],
  [
    'templates',
    'placeholders',
    suiteOf(`cases:\n  - { name: C, input: "${'{{A}} '.repeat(30_000)}", ${checks} }`),
    'unknown template expression `{{A}}`',
  ],
] as const)(
  '%s %s: a file full of it is refused in its own words, in bounded time and memory',
  (_rule, _what, text, words) => {
    const rss = process.memoryUsage.rss();
    const start = process.threadCpuUsage();
    const problems = problemsOf(text);
    const { user, system } = process.threadCpuUsage(start);
    expect(problems.length).toBeLessThanOrEqual(50);
    expect(problems.map(({ message }) => message).join('\n')).toContain(words);
    expect((user + system) / 1000).toBeLessThan(2_000);
    expect((process.memoryUsage.rss() - rss) / 1e6).toBeLessThan(200);
  },
);
