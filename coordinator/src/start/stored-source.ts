import type { SuiteIds } from '../definitions/store-definitions.ts';

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
  } | null;
}

/** One test run by its place in the plan of its run. */
export interface PlacedTestRun {
  suiteName: string;
  suitePath: string;
  cellKey: string;
  caseName: string;
  repetition: number;
}
