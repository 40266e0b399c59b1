import { type LeaseState, nextLeaseState } from '@proofmark/domain/lifecycle';
import type { IncomingResult } from './incoming-results.ts';

/** A lease as the ledger has it, locked by the transaction that looks. */
export interface LeaseOnRecord {
  tenantId: string;
  runId: string;
  suiteRunId: string;
  testRunId: string;
  state: LeaseState;
  attempt: number;
  sessionId: string | null;
}

export interface FencedResults {
  /** At most one of each test run. */
  accepted: IncomingResult[];
  /** Done already, of a void attempt, of another session, or there twice. */
  late: IncomingResult[];
  /** Of no test run that the tenant has under this run and suite run. */
  unknown: IncomingResult[];
}

/** The fence: a result counts when its attempt and its session are those on record, and only once. */
export function passFence(results: readonly IncomingResult[], leases: readonly LeaseOnRecord[]): FencedResults {
  const onRecord = new Map(leases.map((lease) => [keyOf(lease), lease]));
  const taken = new Set<LeaseOnRecord>();
  const fenced: FencedResults = { accepted: [], late: [], unknown: [] };
  for (const result of results) {
    const lease = onRecord.get(keyOf(result));
    if (lease === undefined || lease.runId !== result.runId || lease.suiteRunId !== result.suiteRunId) {
      fenced.unknown.push(result);
    } else if (holds(lease, result) && !taken.has(lease)) {
      taken.add(lease);
      fenced.accepted.push(result);
    } else {
      fenced.late.push(result);
    }
  }
  return fenced;
}

const keyOf = ({ tenantId, testRunId }: Pick<IncomingResult, 'tenantId' | 'testRunId'>): string =>
  `${tenantId} ${testRunId}`;

const holds = (lease: LeaseOnRecord, { attempt, sessionId }: IncomingResult): boolean =>
  nextLeaseState(lease.state, 'record') === 'done' && lease.attempt === attempt && lease.sessionId === sessionId;
