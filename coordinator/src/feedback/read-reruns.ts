import { CompiledQuery, type Kysely } from 'kysely';
import { z } from 'zod';

const Diagnosis = z.object({
  suite_id: z.uuid(),
  run_id: z.uuid(),
  is_active: z.boolean(),
  passed: z.number(),
  executed: z.number(),
});

const diagnosisQuery = `
  select distinct on (s.suite_id) s.suite_id, s.run_id, r.status in ('pending', 'running') as is_active,
    s.passed_cases as passed, s.passed_cases + s.failed_cases as executed
  from runs r join test_suite_runs s on s.tenant_id = r.tenant_id and s.run_id = r.id
  where r.rerun_of = $1 and r.rerun_kind = 'failed'
  order by s.suite_id, r.created_at desc`;

/** What became of the failed cases of a run that somebody ran again, by suite: it stands beside the result and changes none. */
export async function readDiagnoses(
  tx: Kysely<unknown>,
  runId: string,
  publicUrl: string,
): Promise<Map<string, string>> {
  const { rows } = await tx.executeQuery(CompiledQuery.raw(diagnosisQuery, [runId]));
  return new Map(
    z
      .array(Diagnosis)
      .parse(rows)
      .map(({ suite_id, run_id, is_active, passed, executed }) => {
        const result = is_active ? 'running' : `${passed} of ${executed} test runs passed`;
        return [suite_id, `Failed cases run again for diagnosis: [${result}](${publicUrl}/runs/${run_id}).`];
      }),
  );
}

const earlierQuery = `
  select e.id from runs r join runs e on e.tenant_id = r.tenant_id and e.repository_id = r.repository_id
    and e.head_sha = r.head_sha and e.pull_request is not distinct from r.pull_request
    and e.settings ->> 'checkName' = r.settings ->> 'checkName' and e.created_at < r.created_at
  where r.id = $1 and r.rerun_kind in ('requested', 'baseline') and e.rerun_kind is distinct from 'failed'
  order by e.created_at desc limit 10`;

/** Runs before a re-run under the same check, newest first: what it does not run again stands in them. None for other runs. */
export async function readEarlierRuns(tx: Kysely<unknown>, runId: string): Promise<string[]> {
  const { rows } = await tx.executeQuery(CompiledQuery.raw(earlierQuery, [runId]));
  return z
    .array(z.object({ id: z.uuid() }))
    .parse(rows)
    .map(({ id }) => id);
}
