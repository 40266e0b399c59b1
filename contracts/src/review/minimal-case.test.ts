import { expect, test } from 'vitest';
import { openai, problemsOf, project } from '../load/sample-files.fixture.ts';
import { validateTestCase } from '../validate/validate.ts';

const errorsOf = (suite: string) =>
  problemsOf(openai(suite), { 'proofmark.yaml': project }).filter(({ severity }) => severity === 'error');
const judge = 'judge: { ai_configuration: llama }\n';
const metrics = 'evaluations: { metrics: [{ metric: relevance }] }\n';

test('S1-57 C55 a case of nothing but a name is valid as a draft, and active where its suite brings metrics', () => {
  expect(errorsOf(`${judge}cases:\n  - { name: n, status: draft }\n`)).toEqual([]);
  expect(errorsOf(`${judge}${metrics}cases:\n  - { name: n }\n`)).toEqual([]);
});

test('C55 an active case that nothing judges is refused, and both ways out are named', () => {
  const [problem, ...others] = errorsOf(`${judge}cases:\n  - { name: n }\n`);
  expect(others).toEqual([]);
  expect(problem?.message).toContain('case `n` cannot be judged');
  for (const way of ['`expected_outcomes`', '`evaluations`', '`status: draft`']) expect(problem?.hint).toContain(way);
});

test('C51 checks without a mode must all pass', () => {
  const checks = [{ type: 'contains_phrases', phrases: ['a'] }];
  expect(validateTestCase({ input: 'q', expected_behavior: { checks } })).toMatchObject({
    valid: true,
    normalized: { expected_behavior: { mode: 'all' } },
  });
});
