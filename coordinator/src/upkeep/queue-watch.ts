import { DEFAULT_POOL } from '@proofmark/contracts/pool';
import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import { askAsWorker, type Database } from '../database/transactions.ts';
import { longestPauseOf } from '../feedback/write-pace.ts';
import { isConnected } from '../ledger/fleet.ts';
import type { Loop } from './run-loops.ts';

/** What waits for the runners of a pool, and who they are. */
export interface PoolState {
  pool: string;
  /** Since the oldest suite run was made of which something could start and has not; 0 where nothing waits. */
  ageSeconds: number;
  /** Test runs. */
  waiting: number;
  /** Test runs that a runner holds. */
  running: number;
  waitingChunks: number;
  runningChunks: number;
  runners: number;
  /** Of all of them together. A runner that serves several pools counts in each. */
  slots: number;
}

/** What `/metrics` tells of the ledger. */
export interface QueueState {
  pools: readonly PoolState[];
  /** How long the longest pause still is that a forge has asked for; 0: none has. */
  pauseSeconds: number;
}

/** Anybody who starts a run may name a pool; a metric has no more series than this. */
const mostPools = 100;

type Watched = { database: Database; writeIntervalMs: number; onRead: (queues: QueueState) => void };

/**
 * Reads the queue of each pool for `/metrics`: who scales runners goes by it. A loop, because nobody who asks for metrics has to
 * show a token, and what a scrape costs must not depend on how often somebody asks.
 */
export function queueWatch({ database, writeIntervalMs, onRead }: Watched): Loop {
  return {
    name: 'queues',
    every: 5000,
    run: async () => {
      const pools = await askAsWorker(
        database,
        sql<PoolState>`${prepared}
          with work as (
            select c.pool, coalesce(sum(c.open_count) filter (where c.state = 'queued'), 0)::int as waiting,
              coalesce(sum(c.open_count) filter (where c.state = 'leased'), 0)::int as running,
              count(*) filter (where c.state = 'queued')::int as waiting_chunks,
              count(*) filter (where c.state = 'leased')::int as running_chunks,
              coalesce(extract(epoch from now() - min(s.created_at) filter (where c.state = 'queued')), 0)::float8 as age
            from chunks c join test_suite_runs s on s.tenant_id = c.tenant_id and s.id = c.suite_run_id
            where c.state in ('queued', 'leased') and s.ending is null and s.deadline_at > now()
              and (c.state = 'leased' or s.open_round is null or c.round <= s.open_round) group by 1),
          fleet as (
            select p.pool, count(*)::int as runners, sum(s.slots)::int as slots
            from runner_sessions s cross join lateral (select distinct unnest(s.pools || s.pool) as pool) p
            where ${isConnected(sql`s`)} group by 1)
          select pool, coalesce(w.age, 0) as "ageSeconds", coalesce(w.waiting, 0) as waiting, coalesce(w.running, 0) as running,
            coalesce(w.waiting_chunks, 0) as "waitingChunks", coalesce(w.running_chunks, 0) as "runningChunks",
            coalesce(f.runners, 0) as runners, coalesce(f.slots, 0) as slots
          from work w full join fleet f using (pool) full join (values (${DEFAULT_POOL}::text)) d (pool) using (pool)
          order by pool = ${DEFAULT_POOL} desc, f.runners is null, w.age desc nulls last, pool limit ${mostPools}`,
      );
      const pauseMs = await longestPauseOf(database, writeIntervalMs);
      onRead({ pools, pauseSeconds: pauseMs / 1000 });
      return { pools: pools.length };
    },
  };
}
