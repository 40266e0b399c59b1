import { Project } from '@proofmark/contracts/project';
import { expect, test } from 'vitest';
import { planned, problemsOf, works } from './read-plan.fixture.ts';
import { sampleCase, samplePlan, sampleSuite, variable } from './sample-definitions.fixture.ts';

test('S4-59 every repetition has variables of its own, and they are what its case was filled in with', () => {
  const suite = sampleSuite({ suite: { repetitions: 3 } });
  const all = works(planned(samplePlan([suite], { variables: { Day: 'Sunday' } })));
  expect(
    all.map(({ repetition, case: { input }, resolvedVariables }) => [repetition, input, resolvedVariables]),
  ).toEqual(
    [1, 2, 3].map((repetition) => [
      repetition,
      'Are you open on Sunday?',
      { values: { Temperature: 0.2, Day: 'Sunday' }, sources: { Temperature: 'agent', Day: 'run' } },
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
    temperature: 0.2,
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

const modelType = {
  name: 't',
  variables_schema: {
    schemaVersion: '1.0',
    variables: [
      variable('AIConfiguration', 'string'),
      variable('Temperature', 'number', { defaultValue: 0.7 }),
      variable('MaxTokens', 'number'),
    ],
  },
};

/** What the first test run is sent and where its values come from, on two configurations that say something and one that does not. */
function sent(suite: object, request: object = {}, agent = 'cold') {
  const ai_configurations = {
    cold: { provider: 'openai', model: 'm', temperature: 0, max_tokens: 50 },
    warm: { provider: 'openai', model: 'm', temperature: 1.5 },
    silent: { provider: 'openai', model: 'm' },
  };
  const loaded = sampleSuite({ suite, agent: { ai_configuration: agent }, type: modelType });
  const input = samplePlan([loaded], request);
  const plan = planned({
    ...input,
    definitions: { ...input.definitions, project: Project.parse({ ai_configurations }) },
  });
  const [work] = works(plan);
  const { values, sources } = work?.resolvedVariables ?? { values: {}, sources: {} };
  const from = (name: string) => `${String(values[name] ?? 'nothing')} from ${sources[name] ?? 'nowhere'}`;
  return {
    wire: [work?.model?.temperature, work?.model?.max_tokens],
    shown: [from('Temperature'), from('MaxTokens')],
    hash: plan.suiteRuns[0]?.agentHash,
    disagreements: plan.disagreements.map(({ path, message }) => `${path}: ${message}`),
  };
}
const plainCase = (more: object = {}) => sampleCase('Hours', { input: 'Open?', expected_behavior: null, ...more });
const cases = [plainCase()];

test.each([
  ['the type alone', {}, {}, 'silent', '0.7 from type', 'nothing from nowhere'],
  ['the agent names a configuration', {}, {}, 'cold', '0 from agent', '50 from agent'],
  ['a run names another', {}, { AIConfiguration: 'warm' }, 'cold', '1.5 from ai_configuration', '50 from agent'],
  ['a run names a silent one', {}, { AIConfiguration: 'silent' }, 'cold', '0 from agent', '50 from agent'],
  ['the suite names another', { AIConfiguration: 'warm' }, {}, 'cold', '1.5 from ai_configuration', '50 from agent'],
  ['the suite says a number', { Temperature: 1 }, { AIConfiguration: 'warm' }, 'cold', '1 from suite', '50 from agent'],
  [
    'the run says a number',
    { Temperature: 1 },
    { Temperature: 0.3, MaxTokens: 9 },
    'cold',
    '0.3 from run',
    '9 from run',
  ],
])('what somebody wrote counts before a default of the type, run before suite before set-up: %s', (...story) => {
  const [, variables, run, agent, temperature, maxTokens] = story;
  const { wire, shown } = sent({ variables, cases }, { variables: run }, agent);
  expect(shown).toEqual([temperature, maxTokens]);
  expect(wire.map(String)).toEqual(shown.map((text) => text.split(' ')[0]?.replace('nothing', 'undefined')));
});

test('a case counts before its AI configuration, and one that hides the temperature leaves what the configuration says', () => {
  const of = (override: object) => sent({ cases: [plainCase({ variables: { Temperature: override } })] });
  expect(of({ defaultValue: 0.4 })).toMatchObject({ wire: [0.4, 50], shown: ['0.4 from test', '50 from agent'] });
  expect(of({ exposed: false })).toMatchObject({ wire: [0, 50], shown: ['nothing from nowhere', '50 from agent'] });
});

test('a temperature of a configuration that the case does not allow is refused with the name of the configuration', () => {
  const restricted = [plainCase({ variables: { Temperature: { restrictedValues: [0.5, 0.7] } } })];
  const input = samplePlan([sampleSuite({ suite: { cases: restricted } })]);
  expect(planned(input).suiteRuns[0]?.testRuns[0]?.decided).toEqual({
    ...{ status: 'error', errorKind: 'variables', code: 'invalid_value' },
    message:
      "Variable 'Temperature' value '0.2' not in allowed values: 0.5, 0.7. The AI configuration 'alpha' says so.",
  });
});

test('an agent is the same version wherever its temperature is written, and another one at another temperature', () => {
  const written = sent({ cases }, {}, 'warm');
  expect(sent({ cases, variables: { Temperature: 1.5 } }, {}, 'silent').hash).toBe(written.hash);
  expect(sent({ cases }, {}, 'silent').hash).not.toBe(written.hash);
});

test('settings that suite and configuration give two values are told to whoever looks at the definitions, once', () => {
  const twice = [plainCase(), plainCase({ name: 'Other' })];
  expect(sent({ variables: { Temperature: 1 }, cases: twice }).disagreements).toEqual([
    "variables.Temperature: 'Temperature' has two values: 1 by the suite, which counts, and 0 by the AI configuration 'cold'",
  ]);
  // Equal values, a value for the run alone and a configuration that replaces another are no contradiction.
  const agreed = [
    sent({ variables: { Temperature: 0 }, cases }),
    sent({ cases }, { variables: { Temperature: 1 } }),
    sent({ variables: { AIConfiguration: 'warm' }, cases }),
  ];
  expect(agreed.flatMap(({ disagreements }) => disagreements)).toEqual([]);
});

test('a simulated user with a temperature beside that of its configuration is told the same way', () => {
  const of = (temperature: number) =>
    sent({ simulator: { ai_configuration: 'cold', temperature }, cases }).disagreements;
  expect(of(0.9)).toEqual([
    "simulator.temperature: 'simulator.temperature' has two values: 0.9 by the suite, which counts, and 0 by the AI configuration 'cold'",
  ]);
  expect(of(0)).toEqual([]);
});
