import { expect, test } from 'vitest';
import { sampleCase, sampleDefinitions, sampleRequest, sampleSuite, variable } from './sample-definitions.fixture.ts';
import { validateVariables } from './validate-variables.ts';

const requiredRegion = {
  name: 't',
  variables_schema: { schemaVersion: '1.0', variables: [variable('Region', 'string', { required: true })] },
};

test('S4-84 nothing to complain about gives an empty list', () => {
  expect(validateVariables(sampleDefinitions(), sampleRequest({ variables: { Temperature: 0 } }))).toEqual([]);
});

test('S4-84 a test that could not run is reported at its place with the code of the variable', () => {
  const cases = [sampleCase('Hours', { input: 'Hi', expected_behavior: null })];
  const suite = {
    ...sampleSuite({ type: requiredRegion, suite: { cases } }),
    casePositions: new Map([['Hours', { line: 7, column: 5 }]]),
    caseFiles: new Map(),
  };
  expect(validateVariables(sampleDefinitions([suite]), sampleRequest())).toEqual([
    {
      severity: 'error',
      code: 'missing_required',
      file: 'support.suite.yaml',
      line: 7,
      column: 5,
      path: 'cases.0.variables',
      message: "Hours: Required variable 'Region' has no value",
    },
  ]);
  expect(validateVariables(sampleDefinitions([suite]), sampleRequest({ variables: { Region: 'eu' } }))).toEqual([]);
});

test('S4-84 S4-85 a name that no test knows is reported with the nearest one', () => {
  expect(validateVariables(sampleDefinitions(), sampleRequest({ variables: { Temprature: 0 } }))).toMatchObject([
    { code: 'unknown_variable', path: 'variables.Temprature', hint: "Did you mean 'Temperature'?" },
  ]);
});
