import { cancelRunFor } from '@proofmark/coordinator/cancel-run';
import { reapSessions } from '@proofmark/coordinator/reap-sessions';
import { recordResults } from '@proofmark/coordinator/record-results';
import { releaseSession } from '@proofmark/coordinator/sessions';
import { type LeaseEvent, type LeaseState, nextLeaseState } from '@proofmark/domain/lease-state';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Ledger, openLedger } from './open-ledger.ts';
import {
  anInput,
  begin,
  claimAll,
  given,
  type Leased,
  newSession,
  newTenant,
  resultOf,
  suiteFile,
  type Tenant,
} from './story.ts';

let ledger: Ledger;
let tenant: Tenant;
beforeAll(async () => {
  ledger = await openLedger(inject('postgresUrl'));
  tenant = await newTenant(ledger);
});
afterAll(() => ledger.close());

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
  claim: async ({ runId }) => claimAll(ledger, runId, await newSession(ledger)),
  record: ({ leased }) => recordResults(ledger.database, [resultOf(leased)]),
  lose: async ({ leased }) => {
    await ledger.query(`update runner_sessions set lease_until = now() - interval '1 second' where id = $1`, [
      leased.sessionId,
    ]);
    await reapSessions(ledger.database);
  },
  release: ({ leased }) =>
    releaseSession(ledger.database, { sessionId: leased.sessionId, held: [leased], closing: true }),
  close: ({ runId }) => cancelRunFor(ledger.database, 'cancelled', { tenantId: tenant.id, id: runId }),
};

const states = ['queued', 'leased', 'done', 'closed'] as const;
const cases = states.flatMap((state) => Object.keys(events).map((event) => [state, event] as const));

it.each(cases)('a %s lease does on "%s" what the table of transitions says, and nothing else', async (state, name) => {
  const event = name as keyof typeof events; // Object.keys forgets the names of its own object.
  const subject = await bring[state]();
  expect(await stateOf(subject)).toBe(state);
  await events[event](subject);
  expect(await stateOf(subject)).toBe(nextLeaseState(state, event) ?? state);
});

async function stateOf({ leased }: Subject): Promise<string> {
  const [row] = await ledger.query<{ state: string }>('select state from test_run_leases where test_run_id = $1', [
    leased.testRunId,
  ]);
  return given(row).state;
}
