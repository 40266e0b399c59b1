import { type LeaseEvent, type LeaseState, nextLeaseState } from '@proofmark/domain/lifecycle';
import { expect, it } from 'vitest';
import {
  anInput,
  begin,
  claimAll,
  claimTestRuns,
  given,
  type Leased,
  leases,
  newSession,
  openStory,
  resultOf,
  suiteFile,
} from '../story.fixture.ts';
import { cancelRunFor } from './cancel-run.ts';
import { reapSessions } from './reap-sessions.ts';
import { recordResults } from './record-results.ts';
import { releaseSession } from './sessions.ts';

const { ledger, tenant } = await openStory();

interface Subject {
  runId: string;
  /** The attempt that once held the lease, whether it still does or not. */
  leased: Leased;
}

const path = 'one.suite.yaml';

/** A test run whose lease has come into this state by the ledger's own statements. */
const bring: Record<LeaseState, () => Promise<Subject>> = {
  queued: async () => {
    const subject = await bring.leased();
    await events.release(subject);
    return subject;
  },
  leased: async () => {
    const input = anInput({ files: [{ path, text: suiteFile({ cases: 1 }) }], suitePaths: [path] });
    const runId = await begin(ledger, tenant, input);
    return { runId, leased: given((await claimAll(ledger, runId, await newSession(ledger)))[0]) };
  },
  done: async () => {
    const subject = await bring.leased();
    await events.record(subject);
    return subject;
  },
  closed: async () => {
    const subject = await bring.leased();
    await events.close(subject);
    return subject;
  },
};

const events: Record<Exclude<LeaseEvent, 'give_up'>, (subject: Subject) => Promise<unknown>> = {
  // By its own id, as a task that comes again does: whether it may be taken is the statement's business.
  claim: async ({ leased: { testRunId } }) =>
    claimTestRuns(ledger, { sessionId: await newSession(ledger), testRunIds: [testRunId] }),
  record: ({ leased }) => recordResults(ledger.database, [resultOf(leased)]),
  lose: async ({ leased }) => {
    await ledger.query(`update runner_sessions set lease_until = now() - interval '1 second' where id = $1`, [
      leased.sessionId,
    ]);
    await reapSessions(ledger.database);
  },
  release: ({ leased }) => releaseSession(ledger.database, { sessionId: leased.sessionId, given: [], closing: true }),
  close: ({ runId }) => cancelRunFor(ledger.database, 'cancelled', { tenantId: tenant.id, id: runId }),
};

const states = ['queued', 'leased', 'done', 'closed'] as const;
const cases = states.flatMap((state) => Object.keys(events).map((event) => [state, event] as const));

it.each(cases)('a %s lease does on "%s" what the table of transitions says, and nothing else', async (state, name) => {
  const event = name as keyof typeof events; // Object.keys forgets the names of its own object.
  const subject = await bring[state]();
  const before = await leaseOf(subject);
  expect(before.state).toBe(state);
  await events[event](subject);
  const next = nextLeaseState(state, event);
  // What came too late changes nothing, not even who holds the lease.
  expect(await leaseOf(subject)).toEqual(next === undefined ? before : expect.objectContaining({ state: next }));
});

interface Lease {
  state: string;
  attempt: number;
  session_id: string | null;
}

async function leaseOf({ leased }: Subject): Promise<Lease> {
  const [row] = await ledger.query<Lease>(`select state, attempt, session_id from ${leases} l where test_run_id = $1`, [
    leased.testRunId,
  ]);
  return given(row);
}
