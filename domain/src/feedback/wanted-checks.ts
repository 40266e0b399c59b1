import { suiteCheckName } from './check-name.ts';
import { aggregateCheck, type CheckOutput, suiteCheck } from './check-output.ts';
import { checkPresences } from './check-presence.ts';
import type { RunReport } from './run-report.ts';

/** One check run: what it is found by, and how it should look. */
export interface WantedCheck {
  name: string;
  externalId: string;
  /** Written only where it exists, or where the last check of this name on the commit was not green. */
  onlyAfterRed: boolean;
  output: CheckOutput;
}

interface CheckNames {
  /** Of the aggregate, and before the names of the suites. */
  checkName: string;
  /** Of the run: what the ids of its checks begin with. */
  runId: string;
}

/** The aggregate first, then a check for each suite by name that has one. */
export function wantedChecks(run: RunReport, { checkName, runId }: CheckNames): WantedCheck[] {
  const suites = run.suites.toSorted((a, b) => (a.suiteName < b.suiteName ? -1 : 1));
  const presences = checkPresences({ ...run, suites });
  const shown = suites.flatMap((suite, index): WantedCheck[] => {
    const presence = presences[index];
    if (presence === undefined || presence === 'hidden') return [];
    return [
      {
        name: suiteCheckName(checkName, suite.suiteName),
        externalId: `${runId}:${index + 1}`,
        onlyAfterRed: presence === 'after-red',
        output: suiteCheck(run, suite),
      },
    ];
  });
  return [{ name: checkName, externalId: `${runId}:0`, onlyAfterRed: false, output: aggregateCheck(run) }, ...shown];
}
