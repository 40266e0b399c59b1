import { expect, test } from 'vitest';
import { planRun } from './plan-run.ts';
import { sampleDefinitions, samplePlan, sampleSuite } from './sample-definitions.fixture.ts';

const gpu = { provider: 'openai', model: 'alpha-1', pool: 'gpu' };
const plain = { provider: 'openai', model: 'beta-1' };
const inLan = { provider: 'openai', model: 'gamma-1', pool: 'lan' };

function planned(suite: object, aiConfigurations: object, request: Parameters<typeof samplePlan>[1] = {}) {
  const suites = [sampleSuite({ suite })];
  const definitions = sampleDefinitions(suites, { ai_configurations: aiConfigurations });
  const baselineDefinitions = definitions;
  return planRun(samplePlan(suites, request, { definitions, baselineDefinitions }));
}

const poolsOf = (...asked: Parameters<typeof planned>) => {
  const run = planned(...asked);
  return run.ok ? run.plan.suiteRuns.map(({ variant, pool }) => `${variant} ${pool}`) : run.problems;
};

test('a suite goes to the pool that it names, else to the one of its models, else to the default one', () => {
  expect(poolsOf({}, { alpha: plain })).toEqual(['head default']);
  expect(poolsOf({}, { alpha: gpu })).toEqual(['head gpu']);
  expect(poolsOf({ judge: { ai_configuration: 'gamma' } }, { alpha: plain, gamma: inLan })).toEqual(['head lan']);
  expect(poolsOf({ pool: 'big' }, { alpha: gpu })).toEqual(['head big']);
});

test('each cell goes to the pool of the model that it is about', () => {
  const matrix = { AIConfiguration: ['alpha', 'beta'] };
  expect(poolsOf({ matrix }, { alpha: gpu, beta: plain })).toEqual(['head gpu', 'head default']);
});

test('both sides of a comparison go to the pool of the head, for each pair is executed by one runner', () => {
  expect(poolsOf({}, { alpha: gpu }, { variants: ['baseline', 'candidate'] })).toEqual([
    'baseline gpu',
    'candidate gpu',
  ]);
});

test('models of two pools are refused until the suite says which of them', () => {
  const judge = { ai_configuration: 'gamma' };
  expect(poolsOf({ judge }, { alpha: gpu, gamma: inLan })).toMatchObject([
    {
      ...{ severity: 'error', code: 'mismatch', file: 'support.suite.yaml', path: 'pool' },
      message:
        'The AI configurations of this suite are reached from several pools of runners: alpha from gpu, gamma from lan',
    },
  ]);
  expect(poolsOf({ judge, pool: 'gpu' }, { alpha: gpu, gamma: inLan })).toEqual(['head gpu']);
});

test('where it is executed changes neither the agent nor what is measured', () => {
  const of = (...asked: Parameters<typeof planned>) => {
    const run = planned(...asked);
    if (!run.ok) throw new Error(JSON.stringify(run.problems));
    return run.plan.suiteRuns.map(({ pool: _pool, ...rest }) => rest);
  };
  const judge = { ai_configuration: 'alpha' };
  expect(of({ judge, pool: 'big' }, { alpha: gpu })).toEqual(of({ judge }, { alpha: { ...gpu, pool: undefined } }));
});
