import type { Problem } from '@proofmark/contracts/problem';
import type { RecordedConversation } from '@proofmark/contracts/recorded-conversation';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';
import type { SuiteIds } from '../definitions/store-definitions.ts';
import type { RunDecision } from './decide-run.ts';

/** The rows of a suite and its cases that exist already, without a snapshot of the agent. */
export type SuiteRows = Pick<SuiteIds, 'suiteId' | 'agentId' | 'caseIds'>;

/** What sets a run of stored definitions apart from one of files that came with the request: it changes none of them. */
export interface StoredSource {
  /** Of what the caller asked for: the same key for the same question is the same run, whatever was edited in between. */
  requestHash: string;
  /** By the path of the suite. */
  rows: ReadonlyMap<string, SuiteRows>;
  /** The run that is repeated, with its seed, and whether it was compared: what is compared runs more often. */
  repeats: {
    runId: string;
    runSeed: string;
    wasCompared: boolean;
    /** Null: all of it. */
    only: PlacedTestRun | null;
    /** What was said then, where only the judging is repeated: nobody is asked. */
    recorded: RecordedConversation | null;
    /** The cases that are run again, each in its suite: two suites may have cases of one name. Null: all. */
    cases: readonly NamedCase[] | null;
  } | null;
}

/** A case by its name and that of its suite. */
export interface NamedCase {
  suiteName: string;
  caseName: string;
}

/** One test run by its place in the plan of its run. */
export interface PlacedTestRun {
  suiteName: string;
  suitePath: string;
  cellKey: string;
  caseName: string;
  repetition: number;
}

/** A decided run with only what its source wants, or all of it; refused when the plan has none like it. */
export function narrowTo(source: StoredSource | null, decision: RunDecision): RunDecision {
  const { only = null, cases = null, recorded = null } = source?.repeats ?? {};
  if (!decision.ok || (only === null && cases === null)) return decision;
  const keep =
    only === null
      ? keepCases(cases ?? [])
      : (suiteRun: PlannedSuiteRun) => keepOnly(suiteRun, only).map((kept) => onRecording(kept, recorded));
  const suiteRuns = decision.run.suiteRuns.flatMap(keep);
  if (suiteRuns.length === 0) return { ok: false, code: 'INVALID_INPUT', problems: [notPlanned] };
  return { ok: true, run: { ...decision.run, suiteRuns } };
}

function keepOnly(suiteRun: PlannedSuiteRun, wanted: PlacedTestRun): PlannedSuiteRun[] {
  if (suiteRun.suitePath !== wanted.suitePath || suiteRun.cellKey !== wanted.cellKey) return [];
  const testRuns = suiteRun.testRuns.filter(
    ({ caseName, repetition }) => caseName === wanted.caseName && repetition === wanted.repetition,
  );
  return testRuns.length === 0 ? [] : [{ ...suiteRun, testRuns }];
}

/** The same test runs on what was said already. */
function onRecording(suiteRun: PlannedSuiteRun, recorded: RecordedConversation | null): PlannedSuiteRun {
  if (recorded === null) return suiteRun;
  const testRuns = suiteRun.testRuns.map((testRun) =>
    testRun.work === null ? testRun : { ...testRun, work: { ...testRun.work, recorded } },
  );
  return { ...suiteRun, testRuns };
}

function keepCases(cases: readonly NamedCase[]): (suiteRun: PlannedSuiteRun) => PlannedSuiteRun[] {
  const keyOf = ({ suiteName, caseName }: NamedCase) => JSON.stringify([suiteName, caseName]);
  const wanted = new Set(cases.map(keyOf));
  return (suiteRun) => {
    const { suiteName } = suiteRun;
    const testRuns = suiteRun.testRuns.filter(({ caseName }) => wanted.has(keyOf({ suiteName, caseName })));
    return testRuns.length === 0 ? [] : [{ ...suiteRun, testRuns }];
  };
}

const notPlanned: Problem = {
  ...{ severity: 'error', code: 'not_found', file: '', line: 1, column: 1, path: 'testRunId' },
  message: 'It was not planned with its run but added later, to settle a suspicion',
};
