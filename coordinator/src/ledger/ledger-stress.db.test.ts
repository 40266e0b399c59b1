import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Database } from '../database/transactions.ts';
import {
  anInput,
  anOutcome,
  anotherReplica,
  begin,
  given,
  type Leased,
  miscounted,
  newSession,
  newTenant,
  ownLedger,
  resultOf,
  suiteFile,
} from '../story.fixture.ts';
import { cancelRun } from './cancel-run.ts';
import { type ClaimedChunk, claimChunks } from './claim-chunks.ts';
import { markPublished, takeUnpublished } from './publishing.ts';
import { reapSessions } from './reap-sessions.ts';
import { recordResults } from './record-results.ts';

const ledger = await ownLedger(6);
const replicas = [ledger.database, await anotherReplica(ledger, 6)];

const casesPerRun = 60;
const runners = 8;
const mostMs = 20_000;
/** Sessions that live as long as a claim takes, and sessions that survive their work. */
const leases = { shortMs: 1, longMs: 400 };
const statuses = ['passed', 'failed', 'error'] as const;

/** The same numbers each time, so that a failure can be repeated as far as concurrency allows. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

interface World {
  runIds: string[];
  finished: string[];
  claimed: number;
  refused: number;
  isOver: () => boolean;
}

/** A runner that claims, sometimes dies, and sends each batch with forged and stale twins beside the genuine results. */
async function runner(world: World, number: number): Promise<void> {
  const database = given(replicas[number % 2]);
  const random = dice(number + 1);
  while (!world.isOver()) {
    const leaseMs = random() < 0.2 ? leases.shortMs : leases.longMs;
    const sessionId = await newSession(ledger, leaseMs, `runner-${number}`);
    for (let turn = 0; turn < 4; turn++) await takeTurn(world, database, sessionId, random);
  }
}

async function takeTurn(world: World, database: Database, sessionId: string, random: () => number): Promise<void> {
  const tasks = await takeUnpublished(database, { pool: 'default', limit: 12 });
  await markPublished(database, tasks.slice(0, 8));
  const chunks = await ledger.query<{ tenantId: string; chunkId: string }>(
    `select tenant_id as "tenantId", id as "chunkId" from chunks where state = 'queued' order by random() limit 12`,
  );
  if (chunks.length === 0) return;
  const [claimed = []] = await claimChunks(database, [{ sessionId, claimId: randomUUID(), chunks }]);
  world.claimed += claimed.length;
  // Now and then a runner dies with all that it holds.
  if (claimed.length > 0 && random() > 0.15) await send(world, database, sessionId, claimed, random);
}

async function send(
  world: World,
  database: Database,
  sessionId: string,
  claimed: ClaimedChunk[],
  random: () => number,
): Promise<void> {
  const rows = await ledger.query<Omit<Leased, 'sessionId' | 'attempt'>>(
    `select c.tenant_id as "tenantId", c.run_id as "runId", c.suite_run_id as "suiteRunId", m.id as "testRunId",
       c.id as "chunkId", (m.n - 1)::int as at from chunks c cross join lateral unnest(c.members) with ordinality m(id, n)
     where c.id = any($1)`,
    [claimed.map(({ chunkId }) => chunkId)],
  );
  const messages = rows.flatMap((row) => {
    // Now and then it is dead before it has sent all of a chunk.
    if (row.at > 0 && random() < 0.1) return [];
    const { attempt } = given(claimed.find(({ chunkId }) => chunkId === row.chunkId));
    const genuine = { ...row, sessionId, attempt };
    const status = given(statuses[Math.floor(random() * 3)]);
    const outcome = anOutcome({ status, errorKind: status === 'error' ? 'agent' : null });
    const forged = resultOf({ ...genuine, sessionId: randomUUID() }, anOutcome({ status: 'failed' }));
    const stale = resultOf({ ...genuine, attempt: attempt + 1 });
    const all = [forged, resultOf(genuine, outcome), stale];
    return random() < 0.3 ? [...all, resultOf(genuine, outcome)] : all;
  });
  const answer = await recordResults(database, messages);
  world.refused += answer.late + answer.refused.length;
  world.finished.push(...answer.finishedSuiteRuns.map(({ suiteRunId }) => suiteRunId));
}

async function reaper(world: World, database: Database): Promise<void> {
  while (!world.isOver()) {
    const { finishedSuiteRuns } = await reapSessions(database);
    world.finished.push(...finishedSuiteRuns.map(({ suiteRunId }) => suiteRunId));
  }
}

it('keeps counters equal to rows and finishes each suite run once while runners die, results are forged and runs are cancelled (P3, P5, P6)', {
  timeout: mostMs + 20_000,
}, async () => {
  const path = 'a.suite.yaml';
  const tenants = [await newTenant(ledger), await newTenant(ledger)];
  const runIds: string[] = [];
  for (const tenant of [...tenants, ...tenants]) {
    const files = [{ path, text: suiteFile({ cases: casesPerRun, repetitions: 2 }) }];
    runIds.push(await begin(ledger, tenant, anInput({ files, suitePaths: [path] })));
  }
  const started = performance.now();
  let open = 1;
  const world: World = {
    runIds,
    finished: [],
    claimed: 0,
    refused: 0,
    isOver: () => open === 0 || performance.now() - started > mostMs,
  };
  const watch = async () => {
    while (!world.isOver()) {
      expect(await miscounted(ledger)).toEqual([]);
      const [row] = await ledger.query<{ open: number }>(
        `select count(*)::int as open from test_suite_runs where status in ('pending', 'running')`,
      );
      open = given(row).open;
      // The last run is cancelled in the middle of its work.
      const [done] = await ledger.query<{ done: number }>('select count(*)::int as done from test_case_results');
      if (given(done).done > casesPerRun)
        await cancelRun(given(replicas[1]), given(tenants[1]).caller, given(runIds[3]));
    }
  };
  const all = Array.from({ length: runners }, (_, number) => runner(world, number));
  await Promise.all([...all, ...replicas.map((replica) => reaper(world, replica)), watch()]);

  expect(await miscounted(ledger)).toEqual([]);
  const ended = await ledger.query<{ id: string; status: string; run: string }>(
    'select id, status, run_id as run from test_suite_runs',
  );
  expect(ended.filter(({ run }) => run !== runIds[3]).map(({ status }) => status)).toEqual([
    'completed',
    'completed',
    'completed',
  ]);
  expect(ended.find(({ run }) => run === runIds[3])?.status).toBe('cancelled');
  const completed = ended.filter(({ status }) => status === 'completed').map(({ id }) => id);
  expect(world.finished.toSorted()).toEqual(completed.toSorted());
  const jobs = await ledger.query<{ id: string }>(
    `select suite_run_id as id from outbox where kind = 'finish-suite-run'`,
  );
  expect(jobs.map(({ id }) => id).toSorted()).toEqual(completed.toSorted());
  expect(await ledger.query('select distinct open_suite_runs from runs')).toEqual([{ open_suite_runs: 0 }]);
  // Otherwise this proved nothing.
  expect(world.claimed).toBeGreaterThan(2 * 2 * casesPerRun);
  expect(world.refused).toBeGreaterThan(500);
  const [lost] = await ledger.query<{ lost: number }>('select count(*)::int as lost from chunks where crash_count > 0');
  expect(given(lost).lost).toBeGreaterThan(0);
});
