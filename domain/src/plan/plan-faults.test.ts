import { expect, test } from 'vitest';
import { planRun } from './plan-run.ts';
import type { PlanInput, RunRequest } from './run-request.ts';
import { sampleCase, sampleDefinitions, samplePlan, sampleSuite, variable } from './sample-definitions.fixture.ts';

function rows(input: PlanInput) {
  const result = planRun(input);
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.problems)}`);
  return result.plan.suiteRuns.flatMap(({ variant, testRuns }) => testRuns.map((run) => ({ ...run, variant })));
}

const problemsOf = (input: PlanInput) => {
  const result = planRun(input);
  return result.ok ? [] : result.problems.map(({ code, path, message }) => ({ code, path, message }));
};

const decidedOf = (testCase: object, request: Partial<RunRequest> = {}) =>
  rows(samplePlan([sampleSuite({ suite: { cases: [sampleCase('Hours', testCase)] } })], request))[0]?.decided;

test('a placeholder without a value is an error of its test that says where it stands', () => {
  expect(decidedOf({ input: 'Say {{MaxTokens}}' })).toEqual({
    status: 'error',
    errorKind: 'variables',
    code: 'missing_required',
    message: "Variable 'MaxTokens' has no value, but input uses it",
  });
  expect(decidedOf({ ground_truth: 'On {{day}}' })).toMatchObject({
    code: 'unknown_variable',
    message: "Unknown template expression '{{day}}' in ground_truth. Did you mean 'Day'?",
  });
  expect(decidedOf({ input: '{{user.name}}' })).toMatchObject({
    message:
      "Unknown template expression '{{user.name}}' in input. Set `literal: true` on the case to keep braces as text.",
  });
  const phrases = [{ type: 'contains_phrases', phrases: ['a', '{{Nope}}'] }];
  expect(decidedOf({ expected_behavior: { checks: phrases } })).toMatchObject({
    message: expect.stringContaining('in expected_behavior.checks.0.phrases.1.'),
  });
});

test('a literal case keeps its braces, free-form data always does', () => {
  const literal = sampleCase('Hours', { input: 'Write {{x}}', expected_behavior: null, literal: true });
  const freeForm = sampleCase('Data', { user_context: { note: '{{Day}}' } });
  const planned = rows(samplePlan([sampleSuite({ suite: { cases: [literal, freeForm] } })]));
  expect(planned[0]?.work?.case.input).toBe('Write {{x}}');
  expect(planned[1]?.work?.case.user_context).toEqual({ note: '{{Day}}' });
});

test("the agent's instructions are filled in and what a value holds is not expanded again", () => {
  const suite = sampleSuite({ agent: { instructions: 'Today is {{Day}}.' } });
  const [row] = rows(samplePlan([suite], { variables: { Day: '{{Temperature}}' } }));
  expect(row?.work?.agent.instructions).toBe('Today is {{Temperature}}.');
  expect(row?.work?.case.input).toBe('Are you open on {{Temperature}}?');
});

test('a phrase that is empty once it is filled in would always be found, so it is refused', () => {
  expect(decidedOf({}, { variables: { Day: '' } })).toMatchObject({
    status: 'error',
    code: 'invalid_value',
    message: expect.stringContaining('expected_behavior.checks.0.phrases.0'),
  });
});

test('values that no model can be asked with are an error of the test that has them', () => {
  const withDefault = (name: string, defaultValue: number): unknown =>
    decidedOf({ variables: { [name]: { defaultValue, locked: true } } }, {});
  expect(withDefault('Temperature', 3)).toMatchObject({
    message: "Variable 'Temperature' value '3' cannot be used: expected a number from 0 to 2",
  });
  expect(withDefault('MaxTokens', 0.5)).toMatchObject({
    message: "Variable 'MaxTokens' value '0.5' cannot be used: expected a whole number above 0",
  });
});

test('a run-level value that no model can be asked with is refused before the run', () => {
  expect(problemsOf(samplePlan([sampleSuite()], { variables: { Temperature: 99 } }))).toMatchObject([
    { code: 'invalid_value', path: 'variables.Temperature', message: expect.stringContaining('a number from 0 to 2') },
  ]);
});

test('an AI configuration that the type offers and the project does not have is refused before the run', () => {
  const definitions = sampleDefinitions([sampleSuite()], {
    ai_configurations: { alpha: { provider: 'openai', model: 'a' } },
  });
  const input = samplePlan([], { variables: { AIConfiguration: 'beta' } }, { definitions });
  expect(problemsOf(input)).toEqual([
    {
      code: 'invalid_value',
      path: 'variables.AIConfiguration',
      message: "There is no AI configuration 'beta'. There are: alpha.",
    },
  ]);
});

test('a judge, panel or metric without its AI configuration is refused before the run', () => {
  const suite = sampleSuite({
    suite: {
      judge: { ai_configuration: 'jugde', panel: ['alpha', 'beta', 'gamma'] },
      evaluations: { metrics: [{ metric: 'groundedness', model: 'delta' }] },
    },
  });
  expect(problemsOf(samplePlan([suite])).map(({ path }) => path)).toEqual([
    'judge.panel.2',
    'judge.ai_configuration',
    'evaluations.metrics.0.model',
  ]);
});

test('the work names every model that measures', () => {
  const evaluations = {
    model: 'beta',
    metrics: [
      { metric: 'groundedness', model: 'alpha' },
      { metric: 'off', enabled: false },
    ],
  };
  const judge = { ai_configuration: 'alpha', panel: ['alpha', 'beta', 'alpha'] };
  const [row] = rows(samplePlan([sampleSuite({ suite: { judge, evaluations } })]));
  expect(row?.work?.instrument).toMatchObject({
    judge: { configuration: 'alpha' },
    panel: [{ configuration: 'alpha' }, { configuration: 'beta' }, { configuration: 'alpha' }],
    evaluations: { metrics: [{ metric: 'groundedness' }] },
    metricModels: { alpha: { model: 'alpha-1' }, beta: { model: 'beta-1' } },
    simulator: null,
    embedding: null,
  });
});

test('a simulated case has its simulator with its own temperature', () => {
  const cases = [
    { name: 'Angry', kind: 'simulated', initial_message: 'On {{Day}}!', expected_outcomes: { calm: true } },
    sampleCase('Hours'),
  ];
  const suite = sampleSuite({ suite: { cases, simulator: { ai_configuration: 'beta', temperature: 0 } } });
  const [angry, hours] = rows(samplePlan([suite]));
  expect(angry?.work).toMatchObject({
    case: { initial_message: 'On Monday!' },
    instrument: { simulator: { settings: { temperature: 0 }, model: { configuration: 'beta' } } },
  });
  expect(hours?.work?.instrument.simulator).toBeNull();
});

test("the suite's matrix adds and leaves out cells, and a single value overrules what contradicts it", () => {
  const suite = sampleSuite({
    suite: {
      matrix: { AIConfiguration: ['alpha', 'beta'], Temperature: [0, 1] },
      matrix_exclude: [{ AIConfiguration: 'beta', Temperature: 1 }],
      matrix_include: [{ AIConfiguration: 'beta', Temperature: 2 }],
    },
  });
  const keys = (request: Partial<RunRequest>) => rows(samplePlan([suite], request)).map(({ work }) => work?.cellKey);
  expect(keys({})).toEqual([
    'AIConfiguration=alpha,Temperature=0',
    'AIConfiguration=alpha,Temperature=1',
    'AIConfiguration=beta,Temperature=0',
    'AIConfiguration=beta,Temperature=2',
  ]);
  expect(keys({ variables: { Temperature: 1 } })).toEqual(['AIConfiguration=alpha']);
  expect(keys({ variables: { Temperature: 0 } })).toEqual(['AIConfiguration=alpha', 'AIConfiguration=beta']);
});

test('S4-88 cells whose values do not go together are refused with the way out', () => {
  const type = {
    name: 't',
    variables_schema: {
      schemaVersion: '1.0',
      variables: [
        variable('Provider', 'string'),
        variable('Day', 'string', {
          defaultValue: 'Monday',
          dependsOn: { variable: 'Provider', allowed: { a: ['Monday'] } },
        }),
      ],
    },
  };
  const input = samplePlan([sampleSuite({ type })], { matrix: { Provider: ['a', 'b'], Day: ['Monday', 'Friday'] } });
  expect(problemsOf(input)).toEqual([
    {
      code: 'invalid_value',
      path: 'matrix.Day',
      message: "Variable 'Day' value 'Friday' does not go with 'Provider' value 'a'; allowed values: Monday",
    },
  ]);
});

test('a value that looks like a credential is refused without being repeated', () => {
  const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
  const [problem] = problemsOf(samplePlan([sampleSuite()], { assignments: [{ name: 'Day', text: secret }] }));
  expect(problem).toMatchObject({ code: 'forbidden_field', path: 'variables.Day' });
  expect(JSON.stringify(problem)).not.toContain(secret);
});

test('repetitions outside 1 to 100 are refused', () => {
  const codes = [0, 1.5, 101, Number.NaN].map(
    (repetitions) => problemsOf(samplePlan([sampleSuite()], { repetitions }))[0]?.code,
  );
  expect(codes).toEqual(['out_of_range', 'out_of_range', 'out_of_range', 'out_of_range']);
});

test("a task that only the base can fill in is asked in the base's words", () => {
  const type = { name: 't', variables_schema: { schemaVersion: '1.0', variables: [variable('Day', 'string')] } };
  const baselineDefinitions = sampleDefinitions([sampleSuite()]);
  const planned = rows(
    samplePlan([sampleSuite({ type })], { variants: ['baseline', 'candidate'] }, { baselineDefinitions }),
  );
  expect(planned.map(({ variant, decided, work }) => [variant, decided?.status, work?.case.input])).toEqual([
    ['baseline', undefined, 'Are you open on Monday?'],
    ['candidate', 'error', undefined],
  ]);
});

test('a suite that the base does not have runs alone, with a warning', () => {
  const baselineDefinitions = sampleDefinitions([sampleSuite({ suite: { name: 'Other' }, path: 'other.suite.yaml' })]);
  const result = planRun(samplePlan([sampleSuite()], { variants: ['baseline', 'candidate'] }, { baselineDefinitions }));
  expect(result).toMatchObject({
    ok: true,
    plan: {
      suiteRuns: [{ variant: 'candidate' }],
      warnings: [{ message: "The suite 'Support' does not exist at the base: nothing to compare with" }],
    },
  });
});

test('fewer base trials than head trials can be asked for', () => {
  const request = { variants: ['baseline', 'candidate'] as const, repetitions: 3, baselineRepetitions: 1 };
  const planned = rows(samplePlan([sampleSuite()], request, { baselineDefinitions: sampleDefinitions() }));
  expect(planned.map(({ variant, repetition }) => `${variant} ${repetition}`)).toEqual([
    'baseline 1',
    'candidate 1',
    'candidate 2',
    'candidate 3',
  ]);
});
