import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { RowKey } from '../database/row-key.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import type { FeedbackPort, RepositoryRef } from '../feedback/feedback-port.ts';
import { followPullRequest } from '../webhooks/follow-pull-request.ts';
import type { Loop } from './run-loops.ts';
import { takeTurn } from './take-turn.ts';

type SweepOptions = {
  database: Database;
  everyMs: number;
  forge: Pick<FeedbackPort, 'pullRequest'>;
  onEnded: (run: RowKey) => void;
  /** Something is to be written to the forge again. */
  onDue: () => void;
  log: Pick<Logger, 'debug'>;
};

/** What one pass looks at; the rest has its turn in the next one. */
const perPass = 100;

/** Finds what no webhook told: pull requests that were closed or pushed to, and checks that were left in progress. */
export function forgeSweep(options: SweepOptions): Loop {
  const { database, everyMs, onDue } = options;
  return {
    name: 'forge-sweep',
    every: everyMs,
    run: async (signal) => {
      // Shorter than the shortest rest of a loop, so that a replica alone has every turn.
      if (!(await takeTurn(database, 'forge-sweep', everyMs * 0.7))) return {};
      const closed = await tellEnded(database);
      if (closed > 0) onDue();
      return { closed, ended: await lookAfter(options, signal) };
    },
  };
}

async function lookAfter({ database, forge, onEnded, log }: SweepOptions, signal: AbortSignal): Promise<number> {
  let ended = 0;
  for (const pullRequest of await watchedPullRequests(database)) {
    if (signal.aborted) break;
    try {
      const now = await forge.pullRequest(pullRequest, pullRequest.number, null);
      if (now === null) continue;
      const runs = await followPullRequest(database, pullRequest, now);
      ended += runs.length;
      for (const run of runs) onEnded(run);
    } catch (error) {
      log.debug({ error, repository: pullRequest.fullName }, 'A pull request was not read; the next sweep will');
    }
  }
  return ended;
}

interface WatchedPullRequest extends RepositoryRef {
  tenantId: string;
  repositoryId: string;
  number: number;
}

/** Pull requests with active runs, those first whose run is oldest. */
async function watchedPullRequests(database: Database): Promise<WatchedPullRequest[]> {
  return await asWorker(database, async (em) => {
    const { rows } = await sql<WatchedPullRequest>`
      select r.tenant_id as "tenantId", r.repository_id as "repositoryId", r.pull_request as number, g.host,
        g.external_id as "externalId", g.full_name as "fullName"
      from runs r join repositories g on g.tenant_id = r.tenant_id and g.id = r.repository_id
      where r.status in ('pending', 'running') and r.pull_request is not null
      group by r.tenant_id, r.repository_id, r.pull_request, g.host, g.external_id, g.full_name
      order by min(r.created_at) limit ${perPass}`.execute(em.getKysely());
    return rows;
  });
}

/** Checks whose run ended after they were last wanted: none is left in progress, whatever went wrong. */
async function tellEnded(database: Database): Promise<number> {
  return await asWorker(database, async (em) => {
    const { rows } = await sql`
      update outbox o set wanted_version = wanted_version + 1, state = 'due', tries = 0, next_try_at = now(), updated_at = now()
      from runs r
      where r.tenant_id = o.tenant_id and r.id = o.run_id and r.status in ('completed', 'failed', 'cancelled')
        -- Whoever swept since then has told those that ended before.
        and r.completed_at > now() - interval '2 days' and o.kind = 'github-check' and o.state = 'done' and o.updated_at < r.completed_at
      returning 1`.execute(em.getKysely());
    return rows.length;
  });
}
