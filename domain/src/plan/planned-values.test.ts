import { expect, test } from 'vitest';
import { planned, problemsOf, works } from './read-plan.ts';
import { sampleCase, samplePlan, sampleSuite, variable } from './sample-definitions.ts';

test('S4-59 every repetition has variables of its own, and they are what its case was filled in with', () => {
  const suite = sampleSuite({ suite: { repetitions: 3 } });
  const all = works(planned(samplePlan([suite], { variables: { Day: 'Sunday' } })));
  expect(
    all.map(({ repetition, case: { input }, resolvedVariables }) => [repetition, input, resolvedVariables]),
  ).toEqual(
    [1, 2, 3].map((repetition) => [
      repetition,
      'Are you open on Sunday?',
      { values: { Temperature: 0.7, Day: 'Sunday' }, sources: { Temperature: 'type', Day: 'run' } },
    ]),
  );
});

test('S4-04 S4-29 S4-31 values of a suite and of a run reach each of its cases', () => {
  const suite = sampleSuite({ suite: { variables: { Day: 'Sunday' }, cases: [sampleCase('A'), sampleCase('B')] } });
  const sources = works(planned(samplePlan([suite], { variables: { Temperature: 0 } }))).map(
    ({ resolvedVariables }) => resolvedVariables,
  );
  const same = { values: { Temperature: 0, Day: 'Sunday' }, sources: { Temperature: 'run', Day: 'suite' } };
  expect(sources).toEqual([same, same]);
});

test('S4-08 a missing required variable is an error row for every repetition and never work (C33)', () => {
  const type = {
    name: 't',
    variables_schema: { schemaVersion: '1.0', variables: [variable('Region', 'string', { required: true })] },
  };
  const suite = sampleSuite({
    type,
    suite: { repetitions: 2, cases: [sampleCase('Hours', { input: 'Hi', expected_behavior: null })] },
  });
  const [run] = planned(samplePlan([suite])).suiteRuns;
  expect(run?.testRuns).toHaveLength(2);
  expect(run?.testRuns[0]).toMatchObject({
    work: null,
    resolvedVariables: null,
    decided: { status: 'error', errorKind: 'variables', message: "Required variable 'Region' has no value" },
  });
});

test('S4-71 every suite converts a raw value with its own test type (C40)', () => {
  const type = {
    name: 't',
    variables_schema: {
      schemaVersion: '1.0',
      variables: [variable('Temperature', 'string'), variable('Day', 'string')],
    },
  };
  const suites = [
    sampleSuite(),
    sampleSuite({
      type,
      path: 'b.suite.yaml',
      suite: { name: 'Texts' },
      agent: { driver: { type: 'scripted', replies: [{ reply: 'x' }] } },
    }),
  ];
  const plan = planned(
    samplePlan(suites, {
      assignments: [
        { name: 'Temperature', text: '0' },
        { name: 'Day', text: 'Sunday' },
      ],
    }),
  );
  expect(works(plan).map((work) => [work.resolvedVariables.values.Temperature, work.model?.temperature])).toEqual([
    [0, 0],
    ['0', undefined],
  ]);
});

test('a value of the wrong type or one that no test accepts is refused before the run (S4-35, S4-82)', () => {
  expect(problemsOf(samplePlan([sampleSuite()], { variables: { Temperature: '0.5' } }))).toMatchObject([
    { code: 'invalid_type', path: 'variables.Temperature' },
  ]);
  expect(
    problemsOf(samplePlan([sampleSuite()], { assignments: [{ name: 'Temperature', text: 'warm' }] })),
  ).toMatchObject([{ code: 'invalid_type', path: 'variables.Temperature' }]);
  expect(problemsOf(samplePlan([sampleSuite()], { variables: { AIConfiguration: 'gamma' } }))).toEqual([
    {
      code: 'invalid_value',
      path: 'variables.AIConfiguration',
      message: "Variable 'AIConfiguration' value 'gamma' not in allowed values: alpha, beta",
      hint: undefined,
    },
  ]);
});

test('a value that one test refuses and another accepts is an error row of the one (S4-36)', () => {
  const cases = [sampleCase('A', { variables: { AIConfiguration: { restrictedValues: ['alpha'] } } }), sampleCase('B')];
  const [run] = planned(
    samplePlan([sampleSuite({ suite: { cases } })], { variables: { AIConfiguration: 'beta' } }),
  ).suiteRuns;
  expect(run?.testRuns.map(({ decided, work }) => [decided?.status, work?.model?.model])).toEqual([
    ['error', undefined],
    [undefined, 'beta-1'],
  ]);
});

test('S4-89 a preset counts as run-level values and a single value still wins', () => {
  const [work] = works(
    planned(samplePlan([sampleSuite()], { preset: 'cold', assignments: [{ name: 'Day', text: 'Sunday' }] })),
  );
  expect(work?.resolvedVariables).toEqual({
    values: { Temperature: 0, Day: 'Sunday' },
    sources: { Temperature: 'run', Day: 'run' },
  });
});

test('S4-62 S4-63 S4-64 S4-65 variables steer the model, and unset ones leave the agent its own', () => {
  const model = (request: object) => works(planned(samplePlan([sampleSuite()], request)))[0]?.model;
  expect(model({ variables: { AIConfiguration: 'beta', Temperature: 0, MaxTokens: 64 } })).toEqual({
    configuration: 'beta',
    provider: 'openai',
    model: 'beta-1',
    api_key_env: 'BETA_KEY',
    temperature: 0,
    max_tokens: 64,
  });
  expect(model({})).toEqual({
    configuration: 'alpha',
    provider: 'openai',
    model: 'alpha-1',
    price: { input: 1, output: 2 },
    temperature: 0.7,
  });
});

test('S4-37 a suite run stores what run and suite level gave (C36)', () => {
  const suite = sampleSuite({ suite: { variables: { Day: 'Sunday', Temperature: 1 } } });
  const [run] = planned(samplePlan([suite], { variables: { Temperature: 0 } })).suiteRuns;
  expect(run?.resolvedVariables).toEqual({
    values: { Temperature: 0, Day: 'Sunday' },
    sources: { Temperature: 'run', Day: 'suite' },
  });
});

test('values that a test locks or hides are ignored with a warning (S4-25)', () => {
  const cases = [sampleCase('A', { variables: { Temperature: { locked: true, defaultValue: 0.1 } } })];
  const plan = planned(samplePlan([sampleSuite({ suite: { cases } })], { variables: { Temperature: 1 } }));
  expect(works(plan)[0]?.model?.temperature).toBe(0.1);
  expect(plan.warnings.map(({ message }) => message)).toEqual([
    "The run-level value of 'Temperature' is ignored by at least one test: the test locks it",
  ]);
});
