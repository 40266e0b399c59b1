import { describe, expect, test } from 'vitest';
import { contentHash } from '../identity/content-hash.ts';
import { loadFiles, problemsOf, suiteOf } from './sample-files.fixture.ts';

const withChecks = (checks: string): string =>
  suiteOf(`cases:\n  - { name: One, input: hi, expected_behavior: { checks: [${checks}] } }`);
const found = (checks: string): string[] =>
  problemsOf(withChecks(checks), { 'checks/a.ts': 'export default () => true;' }).map(
    ({ path, message }) => `${path.replace('cases.0.expected_behavior.checks.', '')}: ${message}`,
  );

describe('checks in code', () => {
  const text = 'export default () => true;\n';
  const suite = withChecks(
    '{ type: code, file: checks/a.ts }, { type: not, check: { type: group, checks: [{ type: code, file: checks/a.ts }] } }',
  );
  const load = (content: string) =>
    loadFiles({ 'evals/a.suite.yaml': suite, 'checks/a.ts': content }).definitions.suites[0];

  test('know the content of their file, wherever they stand, and the suite depends on it', () => {
    const code = { type: 'code', file: 'checks/a.ts', sha256: contentHash(text) };
    const loaded = load(text);
    expect(loaded?.suite.cases[0]?.expected_behavior?.checks).toMatchObject([
      code,
      { type: 'not', check: { type: 'group', checks: [code] } },
    ]);
    expect(loaded?.dependsOn).toContain('checks/a.ts');
  });

  test('are others when their file is another', () => {
    expect(load(text)?.suite.cases).not.toEqual(load(`${text}//`)?.suite.cases);
  });

  test('as metrics do the same', () => {
    const metrics = 'evaluations: { metrics: [{ metric: own, type: code, file: checks/a.ts }] }';
    const body = `${metrics}\ncases:\n  - { name: One, input: hi }`;
    const loaded = loadFiles({ 'evals/a.suite.yaml': suiteOf(body), 'checks/a.ts': text }).definitions.suites[0];
    expect(loaded?.suite.evaluations?.metrics).toMatchObject([{ metric: 'own', sha256: contentHash(text) }]);
    expect(loaded?.dependsOn).toContain('checks/a.ts');
  });
});

test.each([
  ['a file that there is not', '{ type: code, file: checks/b.ts }', '0.file: there is no file `checks/b.ts`'],
  ['a file outside', '{ type: code, file: ../b.ts }', '0.file: the path must stay inside the repository'],
  [
    'a file inside of another check',
    '{ type: not, check: { type: code, file: checks/b.ts } }',
    '0.check.file: there is no file `checks/b.ts`',
  ],
  [
    'a header with a line break',
    '{ type: http, url: "https://x.example", headers: { X: "a\\nb" } }',
    '0.headers.X: must be one line of plain characters: a line break would begin another header',
  ],
  [
    'a key inside of another check',
    '{ type: group, checks: [{ type: equals, valeu: x }] }',
    '0.checks.0.valeu: unknown key `valeu`, did you mean `value`?',
  ],
  ['a type inside of another check', '{ type: not, check: { type: equal, value: x } }', '0.check.type: must be one of'],
  [
    'more than there are',
    '{ type: group, at_least: 2, checks: [{ type: is_json }] }',
    '0.at_least: `at_least` can be 1 at most, the number of checks',
  ],
  [
    'two ways to count',
    '{ type: group, mode: any, at_least: 1, checks: [{ type: is_json }] }',
    '0.mode: `mode` excludes `at_least` and `threshold`',
  ],
  [
    'weights for nothing',
    '{ type: group, weights: [1], checks: [{ type: is_json }] }',
    '0.weights: `weights` go with `threshold`',
  ],
  [
    'too few weights',
    '{ type: group, threshold: 1, weights: [1], checks: [{ type: is_json }, { type: is_json }] }',
    '0.weights: needs 2 numbers, one for each check',
  ],
  [
    'weights of nothing',
    '{ type: group, threshold: 1, weights: [0], checks: [{ type: is_json }] }',
    '0.weights: needs one weight above 0',
  ],
  [
    'a schema inside of another check',
    '{ type: not, check: { type: contains_json, schema: { pattern: x } } }',
    '0.check.schema: in the schema: keyword `pattern` is not supported',
  ],
])('%s is said with its place', (_, check, message) => {
  expect(found(check).find((one) => one.startsWith(message))).toBeDefined();
});

test.each([
  ['not', '{ type: not, check: { type: not_contains, phrases: [x] } }', false],
  ['not of what silence fails', '{ type: not, check: { type: equals, value: x } }', true],
  ['any', '{ type: group, mode: any, checks: [{ type: equals, value: x }, { type: latency, max_ms: 9 }] }', true],
  [
    'enough weight',
    '{ type: group, threshold: 0.5, weights: [1, 3], checks: [{ type: equals, value: x }, { type: latency, max_ms: 9 }] }',
    true,
  ],
  [
    'too little weight',
    '{ type: group, threshold: 0.5, weights: [3, 1], checks: [{ type: equals, value: x }, { type: latency, max_ms: 9 }] }',
    false,
  ],
  ['code', '{ type: code, file: checks/a.ts }', false],
])('an agent that does nothing would pass: %s', (_, check, isIdle) => {
  expect(found(check).some((one) => one.includes('an agent that does nothing would pass'))).toBe(isIdle);
});
