import { aggregateCheck, type CheckOutput, suiteCheck } from './check-output.ts';
import type { RunReport } from './run-report.ts';

/** One check run: what it is found by, and how it should look. */
export interface WantedCheck {
  name: string;
  externalId: string;
  output: CheckOutput;
}

interface CheckNames {
  /** Of the aggregate, and before the names of the suites. */
  checkName: string;
  /** Of the run: what the ids of its checks begin with. */
  runId: string;
}

/** Suites that a change leaves alone have a check of their own only among so few. */
export const mostNamedSuites = 10;

/** `proofmark / Support agent`: the name of the check of one suite. */
export function suiteCheckName(checkName: string, suiteName: string): string {
  return `${checkName} / ${suiteName}`;
}

/** The aggregate first, then one check for each suite by name; of many suites those that are not affected have none. */
export function wantedChecks(run: RunReport, { checkName, runId }: CheckNames): WantedCheck[] {
  const suites = run.suites
    .toSorted((a, b) => (a.suiteName < b.suiteName ? -1 : 1))
    .map((suite, index) => ({
      name: suiteCheckName(checkName, suite.suiteName),
      externalId: `${runId}:${index + 1}`,
      output: suiteCheck(run, suite),
    }));
  const shown =
    suites.length <= mostNamedSuites ? suites : suites.filter(({ output }) => output.conclusion !== 'skipped');
  return [{ name: checkName, externalId: `${runId}:0`, output: aggregateCheck(run) }, ...shown];
}
