import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { Problem } from '@proofmark/contracts/problem';
import type { RecordedConversation } from '@proofmark/contracts/recorded-conversation';
import { recordConversation } from '@proofmark/domain/plan-rejudging';
import { type AnsweredSuiteRun, type KeptAnswer, planRescoring, questionHash } from '@proofmark/domain/plan-rescoring';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import { type Database, inTenant } from '../database/transactions.ts';
import { answerColumns } from '../judging/read-stored-answers.ts';
import { storedPayload } from '../ledger/incoming-results.ts';
import { joinPlan, plannedWork, StoredWork } from '../ledger/work-parts.ts';

/** More than this is not judged by one run: all conversations, and what was asked, are in memory together. */
const mostRescored = 10_000;
const mostBytes = 32 * 1024 * 1024;

interface StoredAnswer extends KeptAnswer {
  recorded: RecordedConversation | null;
}

type Rescored = { ok: true; suiteRuns: PlannedSuiteRun[] } | { ok: false; problems: Problem[] };

/** The plan on what was said in another run of the caller: nobody is asked, and runners judge with today's instrument. */
export async function rescoreAnswers(
  database: Database,
  caller: Caller,
  { runId, suiteRuns }: { runId: string; suiteRuns: readonly PlannedSuiteRun[] },
): Promise<Rescored> {
  const read = await readAnswers(database, caller, runId);
  if (read === null) return refused('not_found', `There is no run ${runId}, or it has no answers`);
  if (read === 'too_many') {
    const most = `${mostRescored} answers, or more than ${mostBytes / 1024 / 1024} MiB of them`;
    return refused('limit', `The run has more than ${most}: rescore its suites one by one, or the run from its files`);
  }
  const rescored = suiteRuns.map((planned) => {
    const recordings = new Map<object, RecordedConversation>();
    const then = read.get(keyOf(planned)) ?? null;
    const suiteRun = planRescoring(planned, then, (testRun, { recorded }) => {
      if (recorded !== null) recordings.set(testRun, recorded);
    });
    const testRuns = suiteRun.testRuns.map((testRun) => {
      const recorded = recordings.get(testRun);
      const { work } = testRun;
      return work === null || recorded === undefined ? testRun : { ...testRun, work: { ...work, recorded } };
    });
    return { ...suiteRun, testRuns };
  });
  return { ok: true, suiteRuns: rescored };
}

const refused = (code: Problem['code'], message: string): Rescored => ({
  ok: false,
  problems: [{ severity: 'error', code, file: '', line: 1, column: 1, path: 'rescores', message }],
});

const keyOf = ({ suiteName, cellKey }: { suiteName: string; cellKey: string }): string =>
  JSON.stringify([suiteName, cellKey]);

const Row = z.object({
  testRunId: z.string(),
  suiteName: z.string(),
  cellKey: z.string(),
  agentHash: z.string(),
  settingKey: z.string(),
  caseName: z.string(),
  repetition: z.number(),
  work: z.unknown(),
  columns: z.record(z.string(), z.unknown()),
  payload: z.record(z.string(), z.unknown()).nullable(),
});

type Answers = Map<string, AnsweredSuiteRun<StoredAnswer>>;

/** By suite and cell: what the head's side said, the first time that it was asked. */
async function readAnswers(
  database: Database,
  { tenantId, repositoryId }: Caller,
  runId: string,
): Promise<Answers | 'too_many' | null> {
  const told = sql`
    select c.id as "testRunId", s.suite_name as "suiteName", s.cell_key as "cellKey", s.agent_hash as "agentHash",
      s.setting_key as "settingKey", c.case_name as "caseName", c.repetition, ${plannedWork} as work,
      ${storedPayload('c')} as payload, ${answerColumns} as columns
    from runs r
    join test_suite_runs s on s.tenant_id = r.tenant_id and s.run_id = r.id and s.purpose = 'first'
      and s.variant <> 'baseline'
    join test_case_results c on c.tenant_id = s.tenant_id and c.run_id = s.id and c.status <> 'skipped'
    ${joinPlan('c')}
    where r.tenant_id = ${tenantId} and r.id = ${runId}
      and (${repositoryId}::uuid is null or r.repository_id = ${repositoryId}::uuid)
    limit ${mostRescored + 1}`;
  const rows = await inTenant(database, tenantId, async (em) => {
    const asked = em.getKysely();
    const { rows: sizes } = await sql<{ answers: number; bytes: number }>`
      select count(*)::int as answers,
        coalesce(sum(octet_length(a::text)), 0)::float8 as bytes
      from (${told}) a`.execute(asked);
    const [size] = sizes;
    if (size === undefined || size.answers > mostRescored || size.bytes > mostBytes) return 'too_many';
    return z.array(Row).parse((await told.execute(asked)).rows);
  });
  if (rows === 'too_many') return 'too_many';
  const byCase = new Map<string, Map<string, StoredAnswer[]>>();
  const answers: Answers = new Map();
  for (const row of rows) {
    const { agentHash, settingKey } = row;
    const cases = byCase.get(keyOf(row)) ?? new Map<string, StoredAnswer[]>();
    byCase.set(keyOf(row), cases);
    answers.set(keyOf(row), { agentHash, settingKey, answersOf: (name) => cases.get(name) ?? [] });
    const answer = answerOf(row);
    if (answer !== null) cases.set(row.caseName, [...(cases.get(row.caseName) ?? []), answer]);
  }
  return answers.size === 0 ? null : answers;
}

/** Null for what was decided without a runner, or written by a version that nobody understands. */
function answerOf({
  testRunId,
  repetition,
  work: written,
  columns,
  payload,
}: z.infer<typeof Row>): StoredAnswer | null {
  const work = StoredWork.safeParse(written).data ?? null;
  if (work === null) return null;
  const { agent, model, resolvedVariables, seed } = work;
  const shared = { repetition, question: questionHash(work), agent, model, resolvedVariables, seed };
  const outcome = payload === null ? undefined : CaseOutcome.safeParse({ ...payload, ...columns }).data;
  if (outcome === undefined) return { ...shared, gap: 'missing', recorded: null };
  const recording = recordConversation(testRunId, outcome);
  return recording.ok
    ? { ...shared, gap: null, recorded: recording.recorded }
    : { ...shared, gap: recording.gap, recorded: null };
}
