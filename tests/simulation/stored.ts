import type { Chunk } from '@proofmark/domain/chunk';
import type { ResultStatus, SuiteRun } from '@proofmark/domain/suite-run';
import type { Rules } from './rules.ts';

export interface StoredSuiteRun extends SuiteRun {
  id: string;
  runId: string;
  deadlineMs: number;
}

export interface StoredChunk extends Chunk {
  id: string;
  runId: string;
  /** The suite run of the test runs, and of the other side where they are pairs. */
  suiteRunId: string;
  baseSuiteRunId: string | null;
  publishedMs: number;
}

export interface StoredSession {
  id: string;
  runnerId: string;
  state: 'open' | 'expired' | 'closed';
  leaseUntilMs: number;
  /** Test runs that it had not begun when it was last heard. */
  waiting: ReadonlySet<string>;
}

export interface StoredRow {
  suiteRunId: string;
  attempt: number;
  status: ResultStatus;
  /** Names the execution that it comes from; null for a row that was written without one. */
  execution: string | null;
}

export interface IncomingResult {
  /** The runner that the broker knows as its sender. */
  from: string;
  chunkId: string;
  at: number;
  attempt: number;
  sessionId: string;
  status: ResultStatus;
  execution: string;
}

export interface ClaimAsked {
  sessionId: string;
  claimId: string;
  chunks: readonly string[];
}

export interface Beat {
  sessionId: string;
  held: readonly { chunkId: string; attempt: number }[];
  waiting: readonly { chunkId: string; attempt: number; at: readonly number[] }[];
  unconfirmed: readonly { chunkId: string; attempt: number; at: readonly number[] }[];
}

interface Confirmation {
  chunkId: string;
  attempt: number;
  recorded: number[];
  superseded: number[];
}

export type BeatAnswer =
  | { session: 'expired' }
  | { session: 'open'; abandoned: { chunkId: string; attempt: number }[]; confirmations: Confirmation[] };

export interface Recorded {
  /** For each result in its order. */
  verdicts: ReturnType<Rules['passFence']>[];
}

export interface TaskRef {
  id: string;
  publishGen: number;
}
