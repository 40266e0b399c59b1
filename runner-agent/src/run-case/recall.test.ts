import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { recordConversation } from '@proofmark/domain/plan-rejudging';
import { expect, test } from 'vitest';
import { aCase, type CaseStory, casePorts } from '../case/a-case.fixture.ts';
import type { CasePorts } from '../case/case-state.ts';
import { playPerson } from '../conversation/scripted-person.fixture.ts';
import { judgeModel, says, scriptedJudge } from '../judge/scripted-judge.fixture.ts';
import { runCase } from './run-case.ts';

const running = new AbortController().signal;

const judgedAs = (status: 'passed' | 'failed') =>
  scriptedJudge(() =>
    says(
      { criteria: [{ id: 'told', requirement: 'told', reasoning: 'because', status }], injection_attempt: false },
      { usage: { promptTokens: 100, completionTokens: 10 } },
    ),
  );

const story: CaseStory = {
  judge: { ...judgeModel, price: { input: 1, output: 1 } },
  case: {
    files: [{ path: 'hours.txt', type: 'text' }],
    expected_outcomes: { told: 'the hours' },
    expected_tool_calls: [{ tool: 'get_hours' }],
    expected_behavior: {
      checks: [
        { type: 'contains_phrases', phrases: ['17'] },
        { type: 'tool_count', max: 1 },
        { type: 'latency', max_ms: 60_000 },
      ],
    },
  },
  agent: {
    tools: [{ name: 'get_hours' }],
    driver: { type: 'scripted', replies: [{ reply: 'From 9 to 17', tool_calls: [{ name: 'get_hours' }] }] },
  },
  mocks: [
    { tool: 'get_hours', returns: { monday: '9-17' }, times: 'always' },
    { tool: 'never', returns: 1 },
  ],
};

const read = { markdown_content: 'Open from 9', metadata: {}, cached_path: null, processing_time_ms: 1, error: null };
const files: NonNullable<CasePorts['files']> = {
  read: async (original) => ({ facts: { original, ...read }, image: null }),
};

/** The work of another time, with what came of it; its agent would answer with an error from now on. */
async function recordedWork(changes: CaseStory = {}): Promise<{ work: CaseWork; first: CaseOutcome }> {
  const work = aCase({ ...story, ...changes });
  const first = await runCase(work, casePorts({ models: judgedAs('passed').models, files }), running);
  return { work: again(work, first), first };
}

function again(work: CaseWork, first: CaseOutcome): CaseWork {
  const recording = recordConversation('run/suite/case', first);
  if (!recording.ok) throw new Error(recording.gap);
  const broken = aCase({ agent: { driver: { type: 'scripted', replies: [{ error: 'The agent was asked again' }] } } });
  const agent = { ...work.agent, driver: broken.agent.driver };
  return { ...work, agent, recorded: recording.recorded };
}

test('a recorded conversation is judged again without its agent, its tools and its files', async () => {
  const { work, first } = await recordedWork();
  const { models, requests } = judgedAs('failed');

  const second = await runCase(work, casePorts({ models }), running);

  expect(first).toMatchObject({ status: 'passed', outcomes: { passed: true } });
  expect(CaseOutcome.parse(second)).toEqual(second);
  expect(second).toMatchObject({ status: 'failed', errorKind: null, outcomes: { passed: false } });
  for (const key of [
    'response',
    'transcript',
    'toolCalls',
    'tools',
    'files',
    'testInput',
    'mocks',
    'checks',
  ] as const) {
    expect(second[key], key).toEqual(first[key]);
  }
  expect(second.latencyMs).toBe(first.latencyMs);
  expect(requests).toHaveLength(1);
});

test('only what judging costs is counted', async () => {
  const { work } = await recordedWork();

  const second = await runCase(work, casePorts({ models: judgedAs('passed').models }), running);

  expect(second).toMatchObject({
    usage: { promptTokens: 0, completionTokens: 0 },
    costUsd: 0,
    measuring: [{ role: 'judge', calls: 1, usage: { promptTokens: 100, completionTokens: 10 }, costUsd: 0.00011 }],
  });
});

test('checks by code are computed again on what was recorded', async () => {
  const { work, first } = await recordedWork();
  const stricter = {
    ...work,
    case: aCase({
      case: {
        expected_behavior: {
          checks: [
            { type: 'contains_phrases', phrases: ['Sunday'] },
            { type: 'latency', max_ms: 1 },
          ],
        },
      },
    }).case,
  };
  if (stricter.recorded) stricter.recorded.latencyMs = 5;

  const second = await runCase(stricter, casePorts(), running);

  expect(first.checks.map(({ status }) => status)).toEqual(['pass', 'pass', 'pass']);
  expect(second.checks.map(({ status }) => status)).toEqual(['fail', 'fail']);
});

test('a conversation that broke stays broken, and nobody judges it', async () => {
  const driver = { type: 'scripted' as const, replies: [{ error: 'The agent broke' }] };
  const { work } = await recordedWork({ agent: { ...story.agent, driver } });
  const { models, requests } = judgedAs('passed');

  const second = await runCase(work, casePorts({ models }), running);

  expect(second).toMatchObject({ status: 'error', errorKind: 'agent', errorMessage: 'The agent broke', checks: [] });
  expect(requests).toEqual([]);
});

test('the steps forward are told in the words of every test run', async () => {
  const { work } = await recordedWork();
  const told: string[] = [];

  await runCase(work, casePorts({ models: judgedAs('passed').models, progressed: (step) => told.push(step) }), running);

  expect(told).toEqual([
    'PROCESSING_FILES',
    'FILES_READY',
    'EXECUTING_AGENT',
    'AGENT_COMPLETE',
    'EVALUATING',
    'COMPLETE',
  ]);
});

test('of a simulated conversation the person is neither asked nor paid again', async () => {
  const say = { action: 'end', message: 'Thank you', reason: 'goal_met' };
  const { outcome: first } = await playPerson({ lines: [say] });
  const simulated = { kind: 'simulated' as const, input: null, initial_message: 'My order is late' };

  const second = await runCase(again(aCase({ case: simulated }), first), casePorts(), running);

  expect(first.conversation).toMatchObject({ endReason: 'simulator', simulator: { calls: 1 } });
  expect(second).toMatchObject({ status: first.status, transcript: first.transcript });
  expect(second.conversation).toEqual({
    ...first.conversation,
    simulator: { ...first.conversation?.simulator, calls: 0, usage: null, costUsd: 0 },
  });
});
