import type { EntityManager } from '@mikro-orm/postgresql';
import type { RunSettings, Trigger } from '@proofmark/contracts/start-run-input';
import { suiteCheckName } from '@proofmark/domain/run-report';
import { sql } from 'kysely';
import type { RowKey } from '../database/row-key.ts';
import { type Columns, unnest } from '../database/unnest.ts';
import type { CheckSubject, CommentSubject, RepositoryRef } from '../feedback/feedback-port.ts';

interface Wanted {
  kind: 'github-check' | 'github-comment';
  dedupeKey: string;
  subject: CheckSubject | CommentSubject;
}

const columns: Columns<Wanted> = {
  kind: { type: 'text', of: ({ kind }) => kind },
  dedupe_key: { type: 'text', of: ({ dedupeKey }) => dedupeKey },
  subject: { type: 'jsonb', of: ({ subject }) => subject },
};

interface FeedbackOfRun {
  tenantId: string;
  runId: string;
  repository: RepositoryRef;
  trigger: Trigger;
  settings: RunSettings;
  /** What the pull request is about by now; null where there is none. */
  currentHead: string | null;
  /** In the order of their names. */
  suites: readonly { suiteId: string; name: string }[];
}

/**
 * Wants the checks of a run on its commit, and the comment of its pull request. The job of an older head may come late:
 * what it has to say is for its own checks alone.
 */
export async function wantFeedback(em: EntityManager, run: FeedbackOfRun): Promise<void> {
  const { tenantId, runId, trigger } = run;
  if (trigger.headSha === null) return;
  const wanted = [...checksOf(run, trigger.headSha), ...commentOf(run)];
  await sql`
    insert into outbox (tenant_id, run_id, kind, dedupe_key, subject)
    select ${tenantId}::uuid, ${runId}::uuid, w.* from ${unnest(wanted, columns, 'w')} order by w.dedupe_key
    on conflict (tenant_id, kind, dedupe_key) do update set run_id = excluded.run_id, subject = excluded.subject,
      wanted_version = outbox.wanted_version + 1, state = 'due', tries = 0, next_try_at = now(), updated_at = now()`.execute(
    em.getKysely(),
  );
}

function checksOf({ runId, repository, settings, suites }: FeedbackOfRun, headSha: string): Wanted[] {
  const check = (n: number, name: string, suiteId: string | null): Wanted => ({
    kind: 'github-check',
    dedupeKey: `${runId}:${n}`,
    subject: { repository, headSha, name, suiteId, externalId: `${runId}:${n}` },
  });
  const aggregate = check(0, settings.checkName, null);
  // Which of them appear is found out when they are written.
  const named = suites.map(({ suiteId, name }, index) =>
    check(index + 1, suiteCheckName(settings.checkName, name), suiteId),
  );
  return [aggregate, ...named];
}

function commentOf({ repository, trigger, settings, currentHead }: FeedbackOfRun): Wanted[] {
  const { pullRequest, headSha } = trigger;
  if (pullRequest === null || headSha !== currentHead) return [];
  const { host, externalId } = repository;
  const dedupeKey = `${host}/${externalId}#${pullRequest}:${settings.commentKey}`;
  return [{ kind: 'github-comment', dedupeKey, subject: { repository, pullRequest, commentKey: settings.commentKey } }];
}

const wantedAnew = sql`
  wanted_version = wanted_version + 1, state = 'due', tries = 0, next_try_at = now(), updated_at = now()`;

/** Wants the checks of the run written anew, and the comment that it shares with other jobs: what they show has changed. */
export async function bumpFeedback(em: EntityManager, run: RowKey): Promise<void> {
  const kysely = em.getKysely();
  await sql`
    update outbox set ${wantedAnew}
    where tenant_id = ${run.tenantId} and run_id = ${run.id} and kind = 'github-check'`.execute(kysely);
  await sql`
    update outbox set ${wantedAnew}
    where tenant_id = ${run.tenantId} and kind = 'github-comment' and dedupe_key = (
      select g.host || '/' || g.external_id || '#' || r.pull_request || ':' || (r.settings ->> 'commentKey')
      from runs r join repositories g on g.tenant_id = r.tenant_id and g.id = r.repository_id
      where r.tenant_id = ${run.tenantId} and r.id = ${run.id})`.execute(kysely);
}
