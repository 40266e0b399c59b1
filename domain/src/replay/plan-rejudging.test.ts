import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { RecordedConversation } from '@proofmark/contracts/recorded-conversation';
import { expect, test } from 'vitest';
import { comparabilityKey } from '../plan/comparability-key.ts';
import { planRun } from '../plan/plan-run.ts';
import { sampleCase, samplePlan, sampleSuite } from '../plan/sample-definitions.fixture.ts';
import { planRejudging, recordConversation } from './plan-rejudging.ts';

const turn = (role: string, text: string) => ({ role, text });

function outcome(changes: object = {}): CaseOutcome {
  return CaseOutcome.parse({
    ...{ status: 'failed', errorKind: null, errorMessage: null, testInput: 'When?', response: 'from 9 to 17' },
    ...{ executionTimeMs: 5, startedAt: '2025-11-01T00:00:00.000Z', latencyMs: 12 },
    transcript: [turn('user', 'When?'), turn('agent', 'from 9 to 17')],
    ...changes,
  });
}

const facts = {
  ...{ endReason: 'agent', leaveReason: null, agentTurns: 1, discardedTries: [] },
  simulator: { template: '1', model: null, calls: 1, usage: null, costUsd: null },
};
const fault = { message: 1, kind: 'wrong_role', isCritical: true, explanation: 'e', correctBehavior: 'c' };

test('what was said, called and read is recorded, and what a judge made of it is not', () => {
  const flags = ['refusal', 'suspected_injection', 'injection_attempt', 'simulation_not_reviewed'];
  const recording = recordConversation('a/b/c', outcome({ flags, conversation: { ...facts, review: [fault] } }));

  expect(recording).toMatchObject({
    ok: true,
    recorded: { testRunId: 'a/b/c', response: 'from 9 to 17', latencyMs: 12, flags: ['refusal'], error: null },
  });
  if (!recording.ok) return;
  expect(RecordedConversation.parse(recording.recorded)).toEqual(recording.recorded);
  expect(recording.recorded.conversation).toEqual(facts);
});

const long = 'x'.repeat(20_000);
const call = { id: 'c', name: 'get', args: {}, source: 'mock', turn: 0, durationMs: 1 };

test.each([
  ['an answer', { truncated: true }],
  ['evidence on its way', { flags: ['evidence_cut'], transcript: [] }],
  ['a turn', { transcript: [turn('user', long), turn('agent', 'ok')] }],
  ['a turn before half a character', { transcript: [turn('user', long.slice(1)), turn('agent', 'ok')] }],
  ['what a tool said', { toolCalls: [{ ...call, result: long }] }],
])('%s that was cut leaves nothing to judge again', (_what, changes) => {
  expect(recordConversation('id', outcome(changes))).toEqual({ ok: false, gap: 'cut' });
});

test('a long answer, stored cut, is judged again as it stands whole in the transcript', () => {
  const whole = `${long} and more`;
  const stored = outcome({
    response: long,
    truncated: true,
    transcript: [turn('user', 'Tell.'), turn('agent', whole)],
  });
  expect(recordConversation('id', stored)).toMatchObject({ ok: true, recorded: { response: whole } });
});

test('long data of a tool that was kept whole is no gap', () => {
  const toolCalls = [{ ...call, result: { rows: long } }];
  expect(recordConversation('id', outcome({ toolCalls })).ok).toBe(true);
});

test('an answer without its transcript is missing', () => {
  expect(recordConversation('id', outcome({ transcript: [] }))).toEqual({ ok: false, gap: 'missing' });
});

test.each([
  ['the judge', { errorKind: 'judge' }, null],
  ['a look at the simulation', { errorKind: 'simulator', conversation: { ...facts, review: [fault] } }, null],
  ['the agent', { errorKind: 'agent', response: null }, { kind: 'agent', message: 'down' }],
  ['the agent in its second turn', { errorKind: 'agent' }, { kind: 'agent', message: 'down' }],
  ['the simulated person', { errorKind: 'simulator', conversation: facts }, { kind: 'simulator', message: 'down' }],
])('an error of %s is recorded only where it ended the conversation', (_who, changes, error) => {
  const errored = { status: 'error', errorMessage: 'down', ...changes };
  expect(recordConversation('id', outcome(errored))).toMatchObject({ ok: true, recorded: { error } });
});

/** A judged case as one plan of it says, with another judge or another set of mocks. */
function taskOf({ judge = 'alpha', mocks = [] }: { judge?: string; mocks?: object[] }) {
  const suite = {
    cases: [sampleCase('Judged', { expected_outcomes: { told: 'yes' } })],
    judge: { ai_configuration: judge },
    mocks,
  };
  const planned = planRun(samplePlan([sampleSuite({ suite })]));
  const testRun = planned.ok ? planned.plan.suiteRuns[0]?.testRuns[0] : undefined;
  if (testRun === undefined || testRun.work === null) throw new Error('The sample is a plan with one test run');
  const { caseHash, instrumentHash, work } = testRun;
  return { work, comparabilityKey: comparabilityKey(caseHash, instrumentHash, '{}') };
}

const judgedOnce = (changes: object = {}): CaseOutcome =>
  CaseOutcome.parse({
    ...{ status: 'passed', errorKind: null, errorMessage: null, testInput: 'When?', response: 'at 17' },
    ...{ executionTimeMs: 5, startedAt: '2025-11-01T00:00:00.000Z' },
    transcript: [
      { role: 'user', text: 'When?' },
      { role: 'agent', text: 'at 17' },
    ],
    ...changes,
  });

const answer = (testRunId: string, changes: object = {}) => ({
  testRunId,
  outcome: judgedOnce(),
  ...taskOf({}),
  ...changes,
});

test('the base keeps its agent and its words, and gets the judge of the head', () => {
  const head = taskOf({ judge: 'beta' });
  const [base] = [answer('a')];
  const [planned] = planRejudging(head, [base]);
  expect(planned?.work).toMatchObject({
    ...{ agent: base.work.agent, seed: base.work.seed, variant: 'baseline', instrument: head.work.instrument },
    recorded: { testRunId: 'a', response: 'at 17' },
  });
  expect(planned?.work).not.toHaveProperty('contents');
});

test.each([
  ['one answer was cut', [answer('a'), answer('b', { outcome: judgedOnce({ truncated: true }) })]],
  ['one answer is gone', [answer('a'), answer('b', { outcome: null })]],
  ['nobody understands what was given to the agent', [answer('a', { work: null })]],
  ['the mocks are others, too', [answer('a', taskOf({ mocks: [{ tool: 'get', returns: 1 }] }))]],
  ['nothing has changed', [answer('a', taskOf({ judge: 'beta' }))]],
])('where %s none of the case is judged again', (_what, answers) => {
  expect(planRejudging(taskOf({ judge: 'beta' }), answers)).toEqual([]);
});
