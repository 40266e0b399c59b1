import { expect, test } from 'vitest';
import type { CellReport } from './run-report.ts';
import { broken, good, sampleCell, sampleRunReport, sampleSuiteReport } from './sample-run-report.ts';
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

test('of many suites those that are not affected have no check, and the numbers stay', () => {
  const others = Array.from({ length: 10 }, (_, index) => sampleSuiteReport(`Other ${index}`, unaffected));
  const run = sampleRunReport([...others, sampleSuiteReport('Support', sampleCell(good, broken))]);
  expect(wantedChecks(run, names).map(({ externalId }) => externalId)).toEqual(['run-1:0', 'run-1:11']);
});
