import { type Chunk, passFence } from '@proofmark/domain/chunk';
import type { IncomingResult } from './incoming-results.ts';

/** A chunk as the ledger has it, locked by the transaction that looks. */
export interface ChunkOnRecord
  extends Pick<Chunk, 'members' | 'settled' | 'state' | 'attempt' | 'sessionId' | 'holders'> {
  tenantId: string;
  id: string;
  runId: string;
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

/** Holds every result against its chunk. One that comes twice in a batch counts once. */
export function sortResults(results: readonly IncomingResult[], chunks: readonly ChunkOnRecord[]): FencedResults {
  const onRecord = new Map(chunks.map((chunk) => [keyOf(chunk.tenantId, chunk.id), chunk]));
  const taken = new Set<string>();
  const fenced: FencedResults = { accepted: [], late: [], forged: [], unknown: [] };
  for (const result of results) {
    const chunk = onRecord.get(keyOf(result.tenantId, result.chunkId));
    const testRunId = chunk?.members[result.at];
    if (chunk === undefined || testRunId === undefined || chunk.runId !== result.runId) {
      fenced.unknown.push(result);
      continue;
    }
    const verdict = passFence(chunk, result, chunk.goesOn);
    if (verdict === 'unknown' || verdict === 'forged') fenced[verdict].push(result);
    else if (verdict === 'accepted' && !taken.has(testRunId)) {
      taken.add(testRunId);
      fenced.accepted.push({ ...result, testRunId });
    } else fenced.late.push({ ...result, testRunId });
  }
  return fenced;
}

const keyOf = (tenantId: string, chunkId: string): string => `${tenantId} ${chunkId}`;
