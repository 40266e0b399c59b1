import { CaseWork } from '@proofmark/contracts/case-work';
import { expect, test } from 'vitest';
import { planned, problemsOf, works } from './read-plan.fixture.ts';
import { sampleCase, sampleDefinitions, samplePlan, sampleSuite } from './sample-definitions.fixture.ts';

test('the work of a test run holds the filled-in case, the model, the resolved variables and the limits (S4-34, S4-60, C46)', () => {
  const plan = planned(samplePlan([sampleSuite()]));
  const [work] = works(plan);
  expect(CaseWork.parse(work)).toEqual(work);
  expect(work).toMatchObject({
    suiteName: 'Support',
    variant: 'head',
    cellKey: '',
    repetition: 1,
    case: { input: 'Are you open on Monday?', expected_behavior: { checks: [{ phrases: ['Monday'] }] } },
    model: { configuration: 'alpha', model: 'alpha-1', temperature: 0.2 },
    resolvedVariables: { values: { Temperature: 0.2, Day: 'Monday' }, sources: { Temperature: 'agent', Day: 'type' } },
    limits: { caseTimeoutMs: 120_000, agentTimeoutMs: 30_000, maxTurns: 40 },
  });
  expect(plan.warnings).toEqual([]);
});

test('round k holds repetition k of every case in suite order (C28)', () => {
  const suite = sampleSuite({ suite: { cases: [sampleCase('B'), sampleCase('A')], repetitions: 2 } });
  const [run] = planned(samplePlan([suite])).suiteRuns;
  expect(run?.testRuns.map(({ repetition, caseName, sortOrder }) => [repetition, caseName, sortOrder])).toEqual([
    [1, 'B', 0],
    [1, 'A', 1],
    [2, 'B', 0],
    [2, 'A', 1],
  ]);
});

test('a compared run repeats three times unless the suite or the request says otherwise', () => {
  const count = (suite: object, request: object) =>
    works(planned(samplePlan([sampleSuite({ suite })], request))).length;
  expect(count({}, { compared: true })).toBe(3);
  expect(count({}, { compared: false })).toBe(1);
  expect(count({ repetitions: 5 }, { compared: true })).toBe(5);
  expect(count({ repetitions: 5 }, { compared: true, repetitions: 2 })).toBe(2);
});

test('S1-19 S1-44 a case that is not active is absent, and skipped with its reason when it is named', () => {
  const cases = [
    sampleCase('Live'),
    sampleCase('Draft', { status: 'draft' }),
    sampleCase('Off', { is_enabled: false }),
  ];
  const suite = sampleSuite({ suite: { cases, repetitions: 3 } });
  const names = (request: object) =>
    planned(samplePlan([suite], request)).suiteRuns.flatMap(({ testRuns }) =>
      testRuns.map((run) => [run.caseName, run.decided]),
    );
  expect(names({ repetitions: 1 })).toEqual([['Live', null]]);
  expect(names({ cases: ['Draft', 'Off'] })).toEqual([
    ['Draft', { status: 'skipped', reason: 'draft' }],
    ['Off', { status: 'skipped', reason: 'disabled' }],
  ]);
});

test('S1-41 S1-43 cases are selected by name, by any of the tags and by difficulty', () => {
  const cases = [
    sampleCase('A', { tags: ['red-team'] }),
    sampleCase('B', { difficulty: 'hard', tags: ['edge-case'] }),
    sampleCase('C'),
  ];
  const names = (request: object) =>
    works(planned(samplePlan([sampleSuite({ suite: { cases } })], request))).map((work) => work.case.name);
  expect(names({ tags: ['red-team', 'edge-case'] })).toEqual(['A', 'B']);
  expect(names({ difficulty: 'hard' })).toEqual(['B']);
  expect(names({ cases: ['C', 'A'] })).toEqual(['A', 'C']);
});

test('names that mean nothing are refused before the run, with a near match (C37, S4-85)', () => {
  expect(problemsOf(samplePlan([sampleSuite()], { cases: ['Hour'] }))).toEqual([
    { code: 'not_found', path: 'cases', message: "No suite has a case named 'Hour'", hint: "Did you mean 'Hours'?" },
  ]);
  expect(problemsOf(samplePlan([sampleSuite()], { preset: 'cald' }))).toEqual([
    { code: 'not_found', path: 'preset', message: "There is no preset 'cald'", hint: "Did you mean 'cold'?" },
  ]);
  expect(problemsOf(samplePlan([sampleSuite()], { assignments: [{ name: 'temperature', text: '1' }] }))).toEqual([
    {
      code: 'unknown_variable',
      path: 'variables.temperature',
      message: "No selected test has a variable 'temperature'",
      hint: "Did you mean 'Temperature'?",
    },
  ]);
  expect(problemsOf(samplePlan([sampleSuite()], { tags: ['nope'] }))).toMatchObject([
    { code: 'not_found', path: 'tags', message: 'No active case matches the selection (tags nope)' },
    { code: 'not_found', path: 'tags', message: "No case has the tag 'nope'", hint: 'No case has any tag.' },
  ]);
});

test('S4-87 a matrix gives one suite run per cell, each with its own key, setting and model', () => {
  const request = {
    matrixAssignments: [
      { name: 'AIConfiguration', values: ['alpha', 'beta'] },
      { name: 'Temperature', values: ['0', '1'] },
    ],
  };
  const { suiteRuns } = planned(samplePlan([sampleSuite()], request));
  expect(
    suiteRuns.map(({ cellKey, settingKey, testRuns }) => [cellKey, settingKey, testRuns[0]?.work?.model?.model]),
  ).toEqual([
    ['AIConfiguration=alpha,Temperature=0', '{"AIConfiguration":"alpha","Temperature":0}', 'alpha-1'],
    ['AIConfiguration=alpha,Temperature=1', '{"AIConfiguration":"alpha","Temperature":1}', 'alpha-1'],
    ['AIConfiguration=beta,Temperature=0', '{"AIConfiguration":"beta","Temperature":0}', 'beta-1'],
    ['AIConfiguration=beta,Temperature=1', '{"AIConfiguration":"beta","Temperature":1}', 'beta-1'],
  ]);
});

test("a single value pins the suite's own axis, a requested axis replaces it, and both at once are refused", () => {
  const suite = sampleSuite({ suite: { matrix: { Day: ['Monday', 'Sunday'], Temperature: [0, 1] } } });
  const keys = (request: object) => planned(samplePlan([suite], request)).suiteRuns.map(({ cellKey }) => cellKey);
  expect(keys({ variables: { Day: 'Friday' } })).toEqual(['Temperature=0', 'Temperature=1']);
  expect(keys({ matrix: { Day: ['Friday'] }, variables: { Temperature: 0 } })).toEqual(['Day=Friday']);
  expect(problemsOf(samplePlan([suite], { matrix: { Day: ['Friday'] }, variables: { Day: 'Monday' } }))).toMatchObject([
    { code: 'exclusive', path: 'matrix.Day' },
  ]);
});

test("the base's agent answers the head's tasks under equal seeds, and new cases have no base side", () => {
  const head = sampleSuite({
    agent: { instructions: 'Answer rudely.' },
    suite: { cases: [sampleCase('Hours', { input: 'Open?' }), sampleCase('New')] },
  });
  const base = sampleSuite({ suite: { cases: [sampleCase('Hours', { input: 'Open then?' })] } });
  const plan = planned(
    samplePlan(
      [head],
      { variants: ['baseline', 'candidate'], compared: true, repetitions: 1 },
      { baselineDefinitions: sampleDefinitions([base]) },
    ),
  );
  const [baseline, candidate] = plan.suiteRuns;
  expect([baseline?.variant, candidate?.variant]).toEqual(['baseline', 'candidate']);
  expect(baseline?.testRuns.map(({ caseName }) => caseName)).toEqual(['Hours']);
  const sides = [baseline, candidate].map((run) => run?.testRuns[0]);
  expect(sides.map((run) => run?.work?.agent.instructions)).toEqual(['Answer briefly.', 'Answer rudely.']);
  expect(sides.map((run) => run?.work?.case.input)).toEqual(['Open?', 'Open?']);
  expect(sides[0]).toMatchObject({
    caseHash: sides[1]?.caseHash,
    instrumentHash: sides[1]?.instrumentHash,
    caseKey: sides[1]?.caseKey,
  });
  expect(sides[0]?.work?.seed).toBe(sides[1]?.work?.seed);
  expect(baseline?.agentHash).not.toBe(candidate?.agentHash);
  expect(baseline?.settingKey).toBe(candidate?.settingKey);
});

test('an agent that answers at one URL for both versions is not run as its own baseline', () => {
  const driver = { type: 'http', url: 'https://agent.example.com' };
  const suite = sampleSuite({ agent: { driver } });
  const compare = (base: object) =>
    planned(
      samplePlan(
        [suite],
        { variants: ['baseline', 'candidate'] },
        { baselineDefinitions: sampleDefinitions([sampleSuite({ agent: { driver: base } })]) },
      ),
    );
  const same = compare(driver);
  expect(same.suiteRuns.map(({ variant }) => variant)).toEqual(['candidate']);
  expect(same.warnings).toMatchObject([{ severity: 'warning', file: 'support.suite.yaml' }]);
  const deployed = compare({ ...driver, base_endpoint: 'https://main.agent.example.com' });
  expect(deployed.suiteRuns[0]?.testRuns[0]?.work?.agent.driver).toMatchObject({
    url: 'https://main.agent.example.com',
  });
});

test('statistics 3: an agent at its base_endpoint is the version that runs on the base branch, and finds that history', () => {
  const driver = { type: 'http', url: 'https://agent.example.com', base_endpoint: 'https://main.agent.example.com' };
  const base = sampleSuite({ agent: { driver, instructions: 'Answer briefly.' } });
  const head = sampleSuite({ agent: { driver, instructions: 'Answer rudely.' } });
  const [onBranch] = planned(samplePlan([base])).suiteRuns;
  const baselineDefinitions = sampleDefinitions([base]);
  const compared = planned(samplePlan([head], { variants: ['baseline', 'candidate'] }, { baselineDefinitions }));
  const [beside, candidate] = compared.suiteRuns;
  expect(beside?.variant).toBe('baseline');
  expect(beside?.agentHash).toBe(onBranch?.agentHash);
  expect(candidate?.agentHash).not.toBe(onBranch?.agentHash);
});

test('S2-13 a disabled suite does not run, and a pull request cannot disable its own', () => {
  const disabled = sampleSuite({ suite: { is_enabled: false } });
  expect(problemsOf(samplePlan([disabled]))).toMatchObject([
    { path: 'is_enabled', message: "The suite 'Support' is disabled" },
  ]);
  const baselineDefinitions = sampleDefinitions([sampleSuite()]);
  expect(planned(samplePlan([disabled], {}, { baselineDefinitions })).suiteRuns).toHaveLength(1);
});

test('D16 a run of too many cells or test runs is refused by its size alone', () => {
  const values = Array.from({ length: 257 }, (_, index) => index);
  expect(problemsOf(samplePlan([sampleSuite()], { matrix: { MaxTokens: values } }))).toMatchObject([
    { code: 'limit', path: 'matrix' },
  ]);
  const cases = Array.from({ length: 1001 }, (_, index) => sampleCase(`Case ${index}`));
  expect(problemsOf(samplePlan([sampleSuite({ suite: { cases } })], { repetitions: 100 }))).toEqual([
    {
      code: 'limit',
      path: 'repetitions',
      message: 'The run would have 100100 test runs, limit 100000',
      hint: undefined,
    },
  ]);
});

test('an agent without any model is a fault of the definitions, told before the run', () => {
  const suite = sampleSuite({ agent: { ai_configuration: 'gone' } });
  expect(problemsOf(samplePlan([suite]))).toMatchObject([{ code: 'not_found', path: 'agent' }]);
});

test('a suite without a runnable case is planned with nothing to run, which is never green', () => {
  const suite = sampleSuite({ suite: { cases: [sampleCase('Draft', { status: 'draft' })] } });
  expect(planned(samplePlan([suite])).suiteRuns).toMatchObject([{ testRuns: [] }]);
});

test('a selection that only drafts match is refused, because nothing would run', () => {
  const suite = sampleSuite({ suite: { cases: [sampleCase('Draft', { status: 'draft', tags: ['new'] })] } });
  expect(problemsOf(samplePlan([suite], { tags: ['new'] }))).toMatchObject([
    { message: 'No active case matches the selection (tags new)' },
  ]);
});

test('the base runs as often as the request asks for, and in a suite that stops on pairs once per head trial', () => {
  const sides = (gate: object) => {
    const suite = sampleSuite({ suite: { repetitions: 3, gate } });
    const request = { variants: ['baseline', 'candidate'], compared: true, baselineRepetitions: 1 } as const;
    const plan = planned(samplePlan([suite], request, { baselineDefinitions: sampleDefinitions([suite]) }));
    return plan.suiteRuns.map(({ variant, testRuns }) => [variant, testRuns.length]);
  };
  expect(sides({})).toEqual([
    ['baseline', 1],
    ['candidate', 3],
  ]);
  expect(sides({ stop: 'sequential' })).toEqual([
    ['baseline', 3],
    ['candidate', 3],
  ]);
});
