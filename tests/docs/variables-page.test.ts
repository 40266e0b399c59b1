import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { planRun, type RunRequest } from '@proofmark/domain/plan-run';
import { validateVariables } from '@proofmark/domain/validate-variables';
import { describe, expect, test } from 'vitest';
import { repositoryRoot } from '../stack/processes.ts';
import { loadPage } from './load-page.ts';

const path = 'docs/variables.md';
const page = { path, text: readFileSync(join(repositoryRoot, path), 'utf8') };
const { definitions } = loadPage(page);

const nothing: RunRequest = {
  ...{ variables: {}, assignments: [], preset: null, matrix: {}, matrixAssignments: [] },
  ...{ cases: [], tags: [], difficulty: null, repetitions: 1, compared: false, variants: ['head'] },
};

const only = (suite: string) => ({
  ...definitions,
  suites: definitions.suites.filter((loaded) => loaded.suite.name === suite),
});

/** The suite runs of one suite of the page under this request. */
function plan(suite: string, request: Partial<RunRequest> = {}) {
  const planned = planRun({ definitions: only(suite), request: { ...nothing, ...request }, runSeed: '' });
  if (!planned.ok) throw new Error(JSON.stringify(planned.problems));
  return planned.plan.suiteRuns;
}

const problemsOf = (suite: string, request: Partial<RunRequest>) =>
  validateVariables(only(suite), { ...nothing, ...request }).map(({ code, path: place, message }) => ({
    code,
    place,
    message,
  }));

const keysOf = (request: Partial<RunRequest> = {}) =>
  plan('Greeting in a matrix', request).map(({ cellKey }) => cellKey);

describe('what docs/variables.md says of its examples', () => {
  test('the suite gives its values, the type the rest, and placeholders are filled in (S4-04, S4-53)', () => {
    const [run] = plan('Greeting');
    expect(run?.testRuns[0]?.resolvedVariables).toEqual({
      values: { Language: 'en', Greeting: 'hello', Temperature: 0 },
      sources: { Language: 'suite', Greeting: 'suite', Temperature: 'type' },
    });
    expect(run?.testRuns[0]?.work?.case).toMatchObject({
      input: 'Somebody enters the room. Greet them in the language en.',
      expected_behavior: { checks: [{ phrases: ['hello'] }] },
    });
  });

  test('`--preset german --var Temperature=1`: the preset first, single values over it (S4-89)', () => {
    expect(page.text).toContain('`proofmark run --preset german --var Temperature=1`');
    const [run] = plan('Greeting', { preset: 'german', assignments: [{ name: 'Temperature', text: '1' }] });
    expect(run?.testRuns[0]?.resolvedVariables).toEqual({
      values: { Language: 'de', Greeting: 'hallo', Temperature: 1 },
      sources: { Language: 'run', Greeting: 'run', Temperature: 'run' },
    });
  });

  test('values that do not go together are refused, and so is one that the test does not take (S4-26, S4-88)', () => {
    expect(problemsOf('Greeting', { variables: { Language: 'de' } })).toEqual([
      expect.objectContaining({
        code: 'invalid_value',
        message: expect.stringContaining("does not go with 'Language'"),
      }),
    ]);
    expect(problemsOf('Greeting', { variables: { Greeting: 'good morning' } })).toEqual([
      expect.objectContaining({ code: 'invalid_value', place: 'variables.Greeting' }),
    ]);
  });

  test('the matrix has 4 − 1 + 1 cells, each with its key in the order of the type (S4-87)', () => {
    expect(page.text).toContain('here 4 − 1 + 1; at most 256');
    expect(keysOf()).toEqual([
      'Language=en,Greeting=hello,Temperature=0',
      'Language=en,Greeting=hello,Temperature=0.7',
      'Language=en,Greeting=good morning,Temperature=0',
      'Language=de,Greeting=hallo',
    ]);
  });

  test('`--matrix` replaces an axis or adds one, and a single value or a preset takes an axis out', () => {
    expect(keysOf({ matrixAssignments: [{ name: 'Temperature', values: ['0.3'] }] })).toContain(
      'Language=en,Greeting=good morning,Temperature=0.3',
    );
    expect(keysOf({ assignments: [{ name: 'Temperature', text: '0.7' }] })).toEqual([
      'Language=en,Greeting=hello',
      'Language=de,Greeting=hallo',
    ]);
    expect(keysOf({ preset: 'strict' })).toEqual([
      'Language=en,Greeting=hello',
      'Language=en,Greeting=good morning',
      'Language=de,Greeting=hallo',
    ]);
  });

  test('at most 256 cells: one more is refused before anything runs', () => {
    const matrixAssignments = [
      { name: 'Temperature', values: Array.from({ length: 257 }, (_, index) => `${index / 1000}`) },
    ];
    expect(problemsOf('Greeting', { matrixAssignments })).toEqual([
      expect.objectContaining({ code: 'limit', message: 'The matrix has 257 combinations, limit 256' }),
    ]);
  });
});
