import { expect, test } from 'vitest';
import { type Files, loadFiles, okCase, suiteOf } from '../load/sample-files.fixture.ts';
import { formatProblems } from './problem.ts';

function formatted(files: Files): string {
  return formatProblems(loadFiles(files).problems, (path) => files[path]);
}

test('a problem is printed with its line, a caret and the hint, and all are counted', () => {
  const text = suiteOf(
    `repetitons: 2\ncases:\n  - { name: a, input: hi }\n  - { name: b, input: 5, expected_tools: [x] }`,
  );
  expect(formatted({ 'evals/a.suite.yaml': text })).toMatchInlineSnapshot(`
    "evals/a.suite.yaml:3:1 error unknown_field: unknown key \`repetitons\`, did you mean \`repetitions\`? (at repetitons)
      3 | repetitons: 2
          ^

    evals/a.suite.yaml:5:5 error required: case \`a\` cannot be judged: it has no checks, metrics, tool expectations or outcomes (at cases.0)
      5 |   - { name: a, input: hi }
              ^
      hint: Give it \`expected_behavior\`, \`expected_tools\` or \`expected_outcomes\`, or its suite \`evaluations\` with metrics; or set \`status: draft\`.

    evals/a.suite.yaml:6:23 error invalid_type: must be a string, put it in quotes (at cases.1.input)
      6 |   - { name: b, input: 5, expected_tools: [x] }
                                ^

    3 errors"
  `);
});

test('no problems are said to be none', () => {
  expect(formatted({ 'a.suite.yaml': suiteOf(`cases:\n${okCase}`) })).toBe('no problems');
});

test('a long line is cut around the column, and nothing of it moves the cursor', () => {
  const text = `name: S\ndescription: [${'x, '.repeat(80)}"\u202E\u200B", wrong]\nagnt: 1\n`;
  const output = formatted({ 'a.suite.yaml': text });
  expect(output.split('\n').every((line) => line.length < 200)).toBe(true);
  expect(output).not.toMatch(/[\u202E\u200B]/u);
});

test('the caret stands below the column that is meant', () => {
  const text = suiteOf(`gate: { min_pass_rate: 900 }\ncases:\n${okCase}`);
  const [, line = '', caret = ''] = formatted({ 'a.suite.yaml': text }).split('\n');
  expect(line.slice(caret.indexOf('^'))).toBe('900 }');
});

test('a key that was written into a file is not printed', () => {
  const text =
    'name: S\nagent: { name: a, instructions: x, model: { provider: openai, name: m, api_key: sk-secret } }\ncases: []\n';
  expect(formatted({ 'a.suite.yaml': text })).not.toContain('sk-secret');
});

test('a problem of a file that cannot be read is printed without its line', () => {
  const [problem] = loadFiles({ 'a.suite.yaml': 'name: 5\n' }).problems;
  expect(formatProblems(problem === undefined ? [] : [problem], () => undefined)).toBe(
    'a.suite.yaml:1:1 error required: `agent` is missing: the path of an agent file, or the agent itself (at agent)\n\n1 error',
  );
});
