import { expect, test } from 'vitest';
import { planRun } from '../plan/plan-run.ts';
import { sampleCase, samplePlan, sampleSuite } from '../plan/sample-definitions.fixture.ts';
import { type KeptAnswer, planRescoring, questionHash } from './plan-rescoring.ts';

function plannedWith(changes: object = {}) {
  const plan = planRun(samplePlan([sampleSuite({ suite: { cases: [sampleCase('Hours', changes)] } })]));
  const [suiteRun] = plan.ok ? plan.plan.suiteRuns : [];
  const work = suiteRun?.testRuns[0]?.work;
  if (suiteRun === undefined || work == null) throw new Error('the plan has no work');
  return { suiteRun, work };
}

const checks = (phrase: string) => ({
  expected_behavior: {
    mode: 'all' as const,
    checks: [{ type: 'contains_phrases' as const, phrases: [phrase], case_sensitive: false }],
  },
});

function answer(repetition: number, changes: Partial<KeptAnswer> = {}): KeptAnswer {
  const { work } = plannedWith();
  const { agent, model, resolvedVariables } = work;
  return {
    ...{ repetition, question: questionHash(work), gap: null, seed: `seed ${repetition}` },
    ...{ agent: { ...agent, name: 'The agent of then' }, model, resolvedVariables },
    ...changes,
  };
}

const then = (answers: readonly KeptAnswer[]) => ({
  agentHash: 'agent of then',
  settingKey: 'setting of then',
  answersOf: (name: string) => (name === 'Hours' ? answers : []),
});

test('every stored answer is judged by the case of today, as it was given: its repetition, its agent, its seed', () => {
  const { suiteRun } = plannedWith(checks('today'));
  const kept: [number, KeptAnswer][] = [];
  const answers = [answer(2), answer(1)];
  const planned = planRescoring(suiteRun, then(answers), ({ repetition }, one) => kept.push([repetition, one]));
  expect(planned).toMatchObject({ agentHash: 'agent of then', settingKey: 'setting of then' });
  expect(planned.testRuns.map(({ repetition, decided }) => [repetition, decided])).toEqual([
    [1, null],
    [2, null],
  ]);
  expect(planned.testRuns[1]?.work).toMatchObject({
    ...{ seed: 'seed 2', repetition: 2, agent: { name: 'The agent of then' } },
    case: checks('today'),
  });
  expect(kept).toEqual([
    [2, answers[0]],
    [1, answers[1]],
  ]);
});

const stored = [answer(1), answer(2)];

test.each([
  ['another question', { input: 'When not?' }, 'other_question', stored],
  ['what was said before', { messages: [{ role: 'user' as const, content: 'Hello' }] }, 'other_question', stored],
  ['no answer', {}, 'no_answer', []],
  ['an answer that was cut', {}, 'answer_cut', [answer(1, { gap: 'cut' }), answer(2, { gap: 'missing' })]],
])('%s is skipped for its reason, and nobody is asked', (_what, changes, reason, answers) => {
  const planned = planRescoring(plannedWith(changes).suiteRun, then(answers), () => {
    throw new Error('nothing is to be judged');
  });
  expect(planned.testRuns.length).toBe(Math.max(1, answers.length));
  for (const { work, decided } of planned.testRuns) {
    expect([work, decided]).toEqual([null, { status: 'skipped', reason }]);
  }
});

test('what is expected of an answer, and who judges it, is no part of its question', () => {
  const { work } = plannedWith();
  const { work: other } = plannedWith({ ...checks('other'), ground_truth: 'From 9', tags: ['t'] });
  expect(questionHash(other)).toBe(questionHash(work));
  const turns = (phrase: string) => [{ user: 'And on Sunday?', expected_tool_calls: null, ...checks(phrase) }];
  const [one, two] = [plannedWith({ turns: turns('a') }).work, plannedWith({ turns: turns('b') }).work];
  expect(questionHash(two)).toBe(questionHash(one));
  expect(questionHash(one)).not.toBe(questionHash(work));
});

test('a suite or cell that the run did not have stays, without an answer', () => {
  const { suiteRun } = plannedWith();
  const planned = planRescoring(suiteRun, null, () => undefined);
  expect(planned.agentHash).toBe(suiteRun.agentHash);
  expect(planned.testRuns.map(({ decided }) => decided)).toEqual([{ status: 'skipped', reason: 'no_answer' }]);
});
