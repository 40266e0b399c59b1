import { expect, test } from 'vitest';
import { problemsOf, scriptedAgent } from './sample-files.fixture.ts';

const ok = 'cases: [{ name: c, input: hi, expected_tools: [t] }]';
const many = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

test.each([
  ['mocks of the wrong type', `mocks:\n${many(12_000, () => '  - { tool: 5 }')}\n${ok}`],
  ['cases of the wrong type', `cases:\n${many(12_000, () => '  - { input: 5 }')}`],
  [
    'metrics that there are not',
    `evaluations:\n  metrics:\n${many(9_000, (index) => `    - { metric: blue${index} }`)}\n${ok}`,
  ],
  [
    'misspelt metrics of a case',
    `evaluations: { metrics: [{ metric: relevance, model: m }] }\ncases:\n  - name: c\n    input: hi\n    evaluations:\n${many(9_000, (index) => `      - relevanc${index}`)}`,
  ],
  [
    'misspelt matchers',
    `mocks:\n${many(5_000, (index) => `  - { tool: t${index}, when: { a: { $regx: b } } }`)}\n${ok}`,
  ],
  ['misspelt variables of cells', `matrix:\n  include:\n${many(9_000, () => '    - { Temprature: 0 }')}\n${ok}`],
])('thousands of %s cost less than 2 s of processor time, and 50 of them are told', (_, body) => {
  const start = process.threadCpuUsage();
  const problems = problemsOf(`name: S\n${scriptedAgent}\n${body}\n`);
  const { user, system } = process.threadCpuUsage(start);
  expect(problems).toHaveLength(50);
  expect((user + system) / 1000).toBeLessThan(2_000);
});
