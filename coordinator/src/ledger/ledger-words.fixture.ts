import type { SuiteRun } from '@proofmark/domain/suite-run';
import type { Ledger } from '../database/open-ledger.fixture.ts';
import { given } from '../story.fixture.ts';

/** What the SQL has on record of a run, in the words in which the rules are asked too; and the id of each chunk by its members. */
export async function readLedgerWords(
  { query }: Ledger,
  runId: string,
  sessionIds: readonly string[],
): Promise<{ ids: Map<string, string>; words: unknown }> {
  const chunks = await query<ChunkWords & { id: string }>(
    `select id, members, settled::text as settled, state, attempt, holders, session_id as "sessionId", crash_count as "crashCount",
       return_count as "returnCount", missed_beats as "missedBeats", publish_gen as "publishGen",
       published_at is not null as "isPublished" from chunks where run_id = $1`,
    [runId],
  );
  const [found] = await query<{ suiteRuns: SuiteRunWords[]; rows: string[]; usage: string[]; jobs: string[] }>(
    `select
      (select jsonb_agg(jsonb_build_object('id', id, 'status', status, 'ends', ending ->> 'status', 'passed', passed_cases,
        'failed', failed_cases, 'errored', errored_cases, 'skipped', skipped_cases, 'unwritten', unwritten_cases))
        from test_suite_runs where run_id = $1) as "suiteRuns",
      array(select c.id || ' ' || c.attempt || ' ' || c.status from test_case_results c
        join test_suite_runs s on s.id = c.run_id where s.run_id = $1) as rows,
      array(select u.test_run_id || ' ' || u.attempt || ' false' from attempt_usage u
        join test_suite_runs s on s.id = u.suite_run_id where s.run_id = $1
        union all select c.id || ' ' || c.attempt || ' true' from test_case_results c
        join test_suite_runs s on s.id = c.run_id where s.run_id = $1 and c.started_at is not null) as usage,
      array(select suite_run_id::text from outbox where run_id = $1 and kind = 'finish-suite-run') as jobs`,
    [runId],
  );
  const { suiteRuns, rows, usage, jobs } = given(found);
  const sessions = await query<{ id: string; state: string; waiting: string[] }>(
    'select id, state, waiting from runner_sessions where id = any($1) order by array_position($1, id)',
    [sessionIds],
  );
  return {
    ids: new Map(chunks.map(({ id, members }) => [members.join(), id])),
    words: {
      chunks: chunks.map(chunkWords).toSorted(),
      suiteRuns: suiteRuns.map((suiteRun) => suiteRunWords(suiteRun, suiteRun.ends ?? undefined)).toSorted(),
      rows: rows.toSorted(),
      usage: usage.toSorted(),
      sessions: sessions.map(({ id, state, waiting }) => `${id} ${state} ${waiting.toSorted().join()}`),
      jobs: jobs.toSorted(),
    },
  };
}

interface ChunkWords {
  members: readonly string[];
  settled: string;
  state: string;
  attempt: number;
  holders: readonly string[];
  sessionId: string | null;
  crashCount: number;
  returnCount: number;
  missedBeats: number;
  publishGen: number;
  isPublished: boolean;
}

export const chunkWords = (chunk: ChunkWords): string =>
  JSON.stringify([
    ...[chunk.members, chunk.settled, chunk.state, chunk.attempt, chunk.holders, chunk.sessionId, chunk.crashCount],
    ...[chunk.returnCount, chunk.missedBeats, chunk.publishGen, chunk.isPublished],
  ]);

type SuiteRunWords = Omit<SuiteRun, 'ending' | 'total'> & { id: string; ends?: string | null };

export const suiteRunWords = (of: Omit<SuiteRunWords, 'ends'>, ends: string | undefined): string =>
  JSON.stringify([of.id, of.status, ends, of.passed, of.failed, of.errored, of.skipped, of.unwritten]);
