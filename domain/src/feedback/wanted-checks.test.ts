import { expect, test } from 'vitest';
import type { CellReport, RunReport } from './run-report.ts';
import { broken, good, sampleCell, sampleRunReport, sampleSuiteReport } from './sample-run-report.fixture.ts';
import { wantedChecks } from './wanted-checks.ts';

const unaffected: CellReport = {
  ...sampleCell(good, good),
  outcome: 'unaffected',
  conclusion: 'skipped',
  verdict: null,
  cases: [],
};
const names = { checkName: 'agents', runId: 'run-1' };

test('D-13: a run has one check for all of it and one for each suite, numbered by name', () => {
  const run = sampleRunReport([
    sampleSuiteReport('Support', sampleCell(good, broken)),
    sampleSuiteReport('Billing', unaffected),
  ]);
  const shown = wantedChecks(run, names).map((one) => [
    one.externalId,
    one.name,
    one.output.conclusion,
    one.output.title,
  ]);
  expect(shown).toEqual([
    ['run-1:0', 'agents', 'failure', expect.stringMatching(/^Regressed: /)],
    ['run-1:1', 'agents / Billing', 'skipped', 'Not affected by this change'],
    ['run-1:2', 'agents / Support', 'failure', expect.stringMatching(/^Regressed: /)],
  ]);
});

const presences = (run: RunReport) =>
  wantedChecks(run, names).map(({ externalId, onlyAfterRed }) => `${externalId.slice(6)}${onlyAfterRed ? '?' : ''}`);
const several = (count: number, cell: CellReport, from = 0) =>
  Array.from({ length: count }, (_, index) =>
    sampleSuiteReport(`Suite ${String(from + index).padStart(2, '0')}`, cell),
  );

test('of many suites only those have a check that are not green, and the numbers stay', () => {
  const run = sampleRunReport([...several(10, unaffected), sampleSuiteReport('Support', sampleCell(good, broken))]);
  expect(presences(run)).toEqual(['0', '11']);
  // Green suites have one only where an earlier one was not.
  const green: CellReport = { ...sampleCell(good, good), outcome: 'unchanged', conclusion: 'success' };
  const mixed = sampleRunReport([...several(10, green), ...several(1, sampleCell(good, broken), 10)]);
  expect(presences(mixed)).toEqual(['0', '1?', '2?', '3?', '4?', '5?', '6?', '7?', '8?', '9?', '10?', '11']);
});

test('while many suites run there is only the aggregate, and at the end at most the 20 worst', () => {
  const red = sampleCell(good, broken);
  const open: CellReport = { ...red, outcome: 'running', conclusion: null, verdict: null };
  expect(presences(sampleRunReport([...several(10, red), ...several(1, open, 10)]))).toEqual(['0']);
  const grey: CellReport = { ...red, outcome: 'inconclusive', conclusion: 'neutral' };
  const shown = presences(sampleRunReport([...several(8, grey), ...several(15, red, 8)]));
  expect(shown).toHaveLength(21);
  // All 15 red ones are among them.
  expect(shown).toEqual(expect.arrayContaining(Array.from({ length: 15 }, (_, index) => String(9 + index))));
});

test('up to ten suites each have a check from the start, unaffected ones too', () => {
  expect(
    presences(sampleRunReport([...several(9, unaffected), ...several(1, sampleCell(good, good), 9)])),
  ).toHaveLength(11);
});
