import { type LeaseState, nextLeaseState } from '@proofmark/domain/lifecycle';
import { sql } from 'kysely';
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
  /** Who held the attempts that are over, see `noteHolder`. */
  pastHolders: readonly string[];
}

export interface FencedResults {
  /** At most one of each test run. */
  accepted: IncomingResult[];
  /** Of an attempt that its sender held, and void, done already, or there twice. */
  late: IncomingResult[];
  /** Of an attempt that its sender never held. */
  forged: IncomingResult[];
  /** Of no test run that the tenant has under this run and suite run. */
  unknown: IncomingResult[];
}

/** The fence: a result counts when its attempt and its session are those on record, and only once. */
export function passFence(results: readonly IncomingResult[], leases: readonly LeaseOnRecord[]): FencedResults {
  const onRecord = new Map(leases.map((lease) => [keyOf(lease), lease]));
  const taken = new Set<LeaseOnRecord>();
  const fenced: FencedResults = { accepted: [], late: [], forged: [], unknown: [] };
  for (const result of results) {
    const lease = onRecord.get(keyOf(result));
    if (lease === undefined || lease.runId !== result.runId || lease.suiteRunId !== result.suiteRunId) {
      fenced.unknown.push(result);
    } else if (holds(lease, result) && !taken.has(lease)) {
      taken.add(lease);
      fenced.accepted.push(result);
    } else if (isHolder(lease, result) || lease.pastHolders.includes(holderOf(result))) {
      fenced.late.push(result);
    } else {
      fenced.forged.push(result);
    }
  }
  return fenced;
}

/** Holders that are remembered of one test run: more attempts than any one has that is not handed back over and over. */
const mostHolders = 20;

/** For an update of leases `l` that go back into the queue: whose attempt is over. */
export const noteHolder = sql`(array[l.attempt || ':' || l.session_id] || l.past_holders)[1:${sql.lit(mostHolders)}]`;

const holderOf = ({ attempt, sessionId }: IncomingResult): string => `${attempt}:${sessionId}`;

const keyOf = ({ tenantId, testRunId }: Pick<IncomingResult, 'tenantId' | 'testRunId'>): string =>
  `${tenantId} ${testRunId}`;

const holds = (lease: LeaseOnRecord, result: IncomingResult): boolean =>
  nextLeaseState(lease.state, 'record') === 'done' && isHolder(lease, result);

const isHolder = (lease: LeaseOnRecord, { attempt, sessionId }: IncomingResult): boolean =>
  lease.attempt === attempt && lease.sessionId === sessionId;
