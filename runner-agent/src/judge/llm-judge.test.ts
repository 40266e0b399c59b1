import { expect, test } from 'vitest';
import { aCase, casePorts } from '../case/a-case.fixture.ts';
import type { CasePorts } from '../case/case-state.ts';
import { runCase } from '../run-case/run-case.ts';
import { blocksOf, type JudgeMove, judgeModel, says, scriptedJudge } from './scripted-judge.fixture.ts';

const verdict = { reasoning: 'same hours', passed: true };
const fenced = `\`\`\`json\n${JSON.stringify(verdict)}\n\`\`\``;

async function judge(move: JudgeMove, { reply = 'Nine to five' } = {}) {
  const { models, requests } = scriptedJudge(() => move);
  const work = aCase({
    judge: judgeModel,
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
    ['Question', 'When do you open?'],
    ['Expected answer', 'From 9 to 17'],
    ['Answer of the agent', 'Nine to five'],
  ]);
  expect(outcome.status).toBe('passed');
});

const told = { metadata: {}, cached_path: null, processing_time_ms: 1, error: null };

test('the judge sees files, ground truth and tool results, each in its block, and may leave open what hangs on a cut', async () => {
  const { models, requests } = scriptedJudge(() =>
    says({ reasoning: 'the rest of the list is missing', passed: null }),
  );
  const work = aCase({
    judge: judgeModel,
    agent: {
      tools: [{ name: 'look_up' }],
      driver: { type: 'scripted', replies: [{ tool_calls: [{ name: 'look_up' }], reply: 'It costs 5 euros.' }] },
    },
    mocks: [{ tool: 'look_up', returns: `${'x'.repeat(3_000)}`, times: 'always' }],
    case: {
      files: [{ path: 'docs/prices.csv', type: 'csv' }],
      ground_truth: 'The list says 5 euros.',
      expected_behavior: { checks: [{ type: 'llm_judge', expected_answer: '5 euros' }] },
    },
  });
  const files: NonNullable<CasePorts['files']> = {
    read: async (original) => ({ facts: { original, markdown_content: '| lamp | 5 |', ...told }, image: null }),
  };
  const ports = casePorts({ models, files, random: Math.random, pause: async () => undefined });
  const outcome = await runCase(work, ports, new AbortController().signal);
  const blocks = blocksOf(requests[0] ?? { user: '' });
  expect([...blocks.keys()]).toEqual([
    ...['Question', 'Files that the user sent along', 'Reference answer', 'Tool evidence'],
    ...['Expected answer', 'Answer of the agent'],
  ]);
  expect(blocks.get('Files that the user sent along')).toBe('file 1: prices.csv (csv)\n  | lamp | 5 |');
  expect(blocks.get('Reference answer')).toBe('The list says 5 euros.');
  expect(blocks.get('Tool evidence')).toContain('[… 1000 characters left out …]');
  expect(requests[0]?.system).toContain('null only where the verdict hangs on characters that were left out');
  expect(outcome).toMatchObject({
    ...{ status: 'error', errorKind: 'judge' },
    errorMessage: 'inconclusive: the rest of the list is missing',
  });
});

test('where nothing was cut no verdict may stay open', async () => {
  const { outcome, requests } = await judge(says({ reasoning: 'who knows', passed: null }));
  expect(requests[0]?.system).not.toContain('null');
  expect(outcome.errorMessage).toContain('no usable answer');
});

test.each<[string, JudgeMove]>([
  ['cut', says(verdict, { flags: ['cut_by_model'] })],
  ['refused', says(verdict, { flags: ['refusal'] })],
  ['given as a tool call', says(verdict, { calls: [{ id: '1', name: 'verdict', arguments: '{}' }] })],
  ['given twice and differently', says(`${fenced}\n${JSON.stringify({ reasoning: 'no', passed: false })}\nWho knows.`)],
])('J5 a verdict that is %s is asked for once more and then an error', async (_name, move) => {
  const { outcome, requests } = await judge(move);
  expect(requests).toHaveLength(2);
  expect(outcome).toMatchObject({ status: 'error', errorKind: 'judge' });
});

test('a verdict may be fenced, whoever provides the model', async () => {
  expect((await judge(says(fenced))).outcome.status).toBe('passed');
});

test('J7 a flood keeps its head and tail with a counted cut', async () => {
  const { requests } = await judge(says(verdict), { reply: `START${'x'.repeat(100_000)}END` });
  const answer = blocksOf(requests[0] ?? { user: '' }).get('Answer of the agent') ?? '';
  expect(answer).toMatch(/^START[\s\S]*\[… \d+ characters left out …\][\s\S]*END$/);
});
