import type { Variant } from '@proofmark/contracts/case-work';
import type { PlannedTestRun } from '@proofmark/domain/plan-run';
import type { Columns } from '../database/unnest.ts';

/** A test run that was executed for equal content already. */
export interface TakenResult {
  id: string;
  status: 'passed' | 'failed';
}

/** What a test run is about, whether it waits for a runner, is decided or is taken over. */
export interface AboutTestRun {
  id: string;
  suiteRunId: string;
  variant: Variant;
  testCaseId: string;
  line: number | null;
  testRun: Omit<PlannedTestRun, 'work' | 'decided'>;
}

export interface NewTestRun extends AboutTestRun {
  pairKey: string | null;
  testRun: PlannedTestRun;
  /** Its result in a run of equal content; absent: it is executed. */
  taken?: TakenResult;
}

/** What a test run is about, in the columns that queue and results have for it. */
export const planColumns: Columns<AboutTestRun> = {
  test_case_id: { type: 'uuid', of: ({ testCaseId }) => testCaseId },
  case_name: { type: 'text', of: ({ testRun }) => testRun.caseName },
  case_key: { type: 'text', of: ({ testRun }) => testRun.caseKey },
  case_hash: { type: 'text', of: ({ testRun }) => testRun.caseHash },
  instrument_hash: { type: 'text', of: ({ testRun }) => testRun.instrumentHash },
  sort_order: { type: 'int4', of: ({ testRun }) => testRun.sortOrder },
  line: { type: 'int4', of: ({ line }) => line },
  repetition: { type: 'int4', of: ({ testRun }) => testRun.repetition },
  variant: { type: 'text', of: ({ variant }) => variant },
  resolved_variables: { type: 'jsonb', of: ({ testRun }) => testRun.resolvedVariables },
};
