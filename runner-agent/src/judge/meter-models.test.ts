import { expect, test } from 'vitest';
import { aCase, casePorts } from '../case/a-case.fixture.ts';
import { runCase } from '../run-case/run-case.ts';
import { isDown, judgeModel, says, scriptedJudge } from './scripted-judge.fixture.ts';

const running = new AbortController().signal;
const price = { input: 2, output: 10 };
const usage = { promptTokens: 1_000_000, completionTokens: 100_000 };
const verdict = {
  criteria: [{ id: 'done', requirement: '', reasoning: '', status: 'passed' }],
  injection_attempt: false,
};

test('what judging costs is counted apart from the agent', async () => {
  const { models } = scriptedJudge(() => says(verdict, { usage }));
  const work = aCase({ judge: { ...judgeModel, price }, case: { expected_outcomes: { done: true } } });
  const outcome = await runCase(work, casePorts({ models, random: Math.random }), running);
  expect(outcome).toMatchObject({
    usage: null,
    costUsd: null,
    measuring: [{ role: 'judge', calls: 1, usage, costUsd: 3 }],
  });
});

test('a try without usage leaves the tokens unknown and the known cost in the sum', async () => {
  const { models } = scriptedJudge((_request, call) => (call === 1 ? isDown : says(verdict, { usage })));
  const work = aCase({ judge: { ...judgeModel, price }, case: { expected_outcomes: { done: true } } });
  const ports = casePorts({ models, random: Math.random, pause: async () => undefined });
  const outcome = await runCase(work, ports, running);
  expect(outcome.measuring).toEqual([{ role: 'judge', calls: 2, usage: null, costUsd: 3 }]);
});

test('nothing measured by a model costs nothing', async () => {
  expect((await runCase(aCase(), casePorts(), running)).measuring).toBeUndefined();
});
