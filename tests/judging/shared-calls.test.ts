import { expect, test } from 'vitest';
import { runInProcess } from '../flows/run-in-process.ts';
import type { Rule } from '../stack/model/rules.ts';
import { startModelServer } from '../stack/model-server.ts';

const suite = (url: string) => ({
  suitePaths: ['evals/x.suite.yaml'],
  files: [
    {
      path: 'proofmark.yaml',
      text: `ai_configurations:\n  judge: { provider: openai, model: judge-1, base_url: "${url}" }\n  vectors: { provider: openai, model: embed-1, base_url: "${url}" }\n`,
    },
    {
      path: 'evals/x.suite.yaml',
      text: `
name: Hours
agent:
  name: Desk
  instructions: You answer for a shop.
  driver: { type: scripted, replies: [{ contains: one, reply: "From 9 to 17." }, { reply: "From 9 to 12." }] }
judge: { ai_configuration: judge }
embedding: { ai_configuration: vectors }
repetitions: 5
evaluations: { metrics: [{ metric: relevance }] }
cases:
${['one', 'two']
  .map(
    (name) => `  - name: ${name}
    input: When are you open? (${name})
    expected_behavior:
      checks:
        - { type: semantic_similarity, expected_answer: From 9 to 17., threshold: 0.1 }
        - { type: llm_judge, expected_answer: From 9 to 17. }
`,
  )
  .join('')}`,
    },
  ],
});

const rules: Rule[] = [
  { when: { system: 'rate' }, reply: JSON.stringify({ reasoning: 'fine', score: 4, status: 'scored' }) },
  { reply: JSON.stringify({ reasoning: 'fine', passed: true }) },
];

test('equal answers of a run are judged once, and their embeddings share requests', async () => {
  await using server = await startModelServer({ rules });
  const ended = await runInProcess(suite(server.url), {});
  expect(ended.map(({ outcome }) => outcome.status)).toEqual(Array.from({ length: 10 }, () => 'passed'));
  const judged = server.requests.filter(({ path }) => path.endsWith('/chat/completions'));
  const embedded = server.requests.filter(({ path }) => path.endsWith('/embeddings'));
  // Two different answers: one judgement and one rating each, though there are ten test runs.
  expect(judged).toHaveLength(4);
  // Two different texts: one of the answers is what is expected.
  expect(embedded.flatMap(({ user }) => user.split('\n')).sort()).toEqual(['From 9 to 12.', 'From 9 to 17.']);
  // What was not called costs nothing, and what was is told once.
  const calls = ended.flatMap(({ outcome }) => outcome.measuring ?? []);
  expect(calls.filter(({ role }) => role === 'judge').reduce((sum, spent) => sum + spent.calls, 0)).toBe(4);
  expect(calls.filter(({ role }) => role === 'embedding').reduce((sum, spent) => sum + spent.calls, 0)).toBe(
    embedded.length,
  );
});
