import { expect, test } from 'vitest';
import { aCase, casePorts } from '../case/a-case.fixture.ts';
import { runCase } from '../run-case/run-case.ts';
import { blocksOf, type JudgeMove, judgeModel, says, scriptedJudge } from './scripted-judge.fixture.ts';

const verdict = { reasoning: 'same hours', passed: true };
const fenced = `\`\`\`json\n${JSON.stringify(verdict)}\n\`\`\``;

async function judge(move: JudgeMove, { provider = 'openai', reply = 'Nine to five' } = {}) {
  const { models, requests } = scriptedJudge(() => move);
  const work = aCase({
    judge: { ...judgeModel, provider },
    agent: { driver: { type: 'scripted', replies: [{ reply }] } },
    case: {
      expected_behavior: {
        checks: [{ type: 'llm_judge', expected_answer: 'From 9 to 17', criteria: 'Same hours.' }],
      },
    },
  });
  const ports = casePorts({ models, random: Math.random, pause: async () => undefined });
  return { outcome: await runCase(work, ports, new AbortController().signal), requests };
}

test('S2-36 the request has criteria, expected answer and response, each in its place', async () => {
  const { requests, outcome } = await judge(says(verdict));
  expect(requests[0]?.system).toContain('Criteria: Same hours.');
  expect([...blocksOf(requests[0] ?? { user: '' })]).toEqual([
    ['Expected answer', 'From 9 to 17'],
    ['Answer of the agent', 'Nine to five'],
  ]);
  expect(outcome.status).toBe('passed');
});

test.each<[string, JudgeMove]>([
  ['cut', says(verdict, { flags: ['cut_by_model'] })],
  ['refused', says(verdict, { flags: ['refusal'] })],
  ['given as a tool call', says(verdict, { calls: [{ id: '1', name: 'verdict', arguments: '{}' }] })],
  ['fenced although the provider has structured output', says(fenced)],
])('J5 a verdict that is %s is asked for once more and then an error', async (_name, move) => {
  const { outcome, requests } = await judge(move);
  expect(requests).toHaveLength(2);
  expect(outcome).toMatchObject({ status: 'error', errorKind: 'judge' });
});

test('a provider without structured output may fence its verdict', async () => {
  expect((await judge(says(fenced), { provider: 'ollama' })).outcome.status).toBe('passed');
});

test('J7 a flood keeps its head and tail with a counted cut', async () => {
  const { requests } = await judge(says(verdict), { reply: `START${'x'.repeat(100_000)}END` });
  const answer = blocksOf(requests[0] ?? { user: '' }).get('Answer of the agent') ?? '';
  expect(answer).toMatch(/^START[\s\S]*\[… \d+ characters left out …\][\s\S]*END$/);
});
