import { type LeaseState, nextLeaseState } from '@proofmark/domain/lifecycle';
import { hasSettled } from './chunk-places.ts';
import type { IncomingResult } from './incoming-results.ts';

/** A chunk as the ledger has it, locked by the transaction that looks. */
export interface ChunkOnRecord {
  tenantId: string;
  id: string;
  runId: string;
  members: readonly string[];
  settled: bigint;
  state: LeaseState;
  attempt: number;
  sessionId: string | null;
  /** The session of each attempt, from the first. */
  holders: readonly string[];
  /** False: somebody has decided that its suite run ends. */
  goesOn: boolean;
}

/** A result of which the ledger knows the test run. */
export type HeldResult = IncomingResult & { testRunId: string };

export interface FencedResults {
  /** At most one of each test run. */
  accepted: HeldResult[];
  /** Of a session that did hold the attempt, and too late: done already, void by now, or there twice. */
  late: HeldResult[];
  /** Of a session that never held the attempt. */
  forged: IncomingResult[];
  /** Of no test run that the tenant has in this run. */
  unknown: IncomingResult[];
}

/** The fence: a result counts when its attempt and its session are those on record, and only once. */
export function passFence(results: readonly IncomingResult[], chunks: readonly ChunkOnRecord[]): FencedResults {
  const onRecord = new Map(chunks.map((chunk) => [keyOf(chunk.tenantId, chunk.id), chunk]));
  const taken = new Set<string>();
  const fenced: FencedResults = { accepted: [], late: [], forged: [], unknown: [] };
  for (const result of results) {
    const chunk = onRecord.get(keyOf(result.tenantId, result.chunkId));
    const testRunId = chunk?.members[result.at];
    if (chunk === undefined || testRunId === undefined || chunk.runId !== result.runId) {
      fenced.unknown.push(result);
    } else if (chunk.holders[result.attempt - 1] !== result.sessionId) {
      fenced.forged.push(result);
    } else if (isOpen(chunk, result) && !taken.has(testRunId)) {
      taken.add(testRunId);
      fenced.accepted.push({ ...result, testRunId });
    } else {
      fenced.late.push({ ...result, testRunId });
    }
  }
  return fenced;
}

const keyOf = (tenantId: string, chunkId: string): string => `${tenantId} ${chunkId}`;

const isOpen = (chunk: ChunkOnRecord, { at, attempt, sessionId }: IncomingResult): boolean =>
  chunk.goesOn &&
  nextLeaseState(chunk.state, 'record') === 'done' &&
  chunk.attempt === attempt &&
  chunk.sessionId === sessionId &&
  !hasSettled(chunk.settled, at);
