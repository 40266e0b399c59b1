import { CompiledQuery, type Kysely } from 'kysely';
import { z } from 'zod';

const Diagnosis = z.object({
  of: z.uuid(),
  suite_id: z.uuid(),
  run_id: z.uuid(),
  is_active: z.boolean(),
  passed: z.number(),
  executed: z.number(),
});

const diagnosisQuery = `
  select distinct on (r.rerun_of, s.suite_id) r.rerun_of as of, s.suite_id, s.run_id, r.status in ('pending', 'running') as is_active,
    s.passed_cases as passed, s.passed_cases + s.failed_cases as executed
  from runs r join test_suite_runs s on s.tenant_id = r.tenant_id and s.run_id = r.id
  where r.rerun_of = any($1::uuid[]) and r.rerun_kind = 'failed'
  order by r.rerun_of, s.suite_id, r.created_at desc`;

/**
 * What became of the failed cases of runs that somebody ran again, by run and suite: it stands beside the result and changes
 * none.
 */
export async function readDiagnoses(
  tx: Kysely<unknown>,
  runIds: readonly string[],
  publicUrl: string,
): Promise<(runId: string, suiteId: string) => string | undefined> {
  const { rows } = await tx.executeQuery(CompiledQuery.raw(diagnosisQuery, [runIds]));
  const words = new Map(
    z
      .array(Diagnosis)
      .parse(rows)
      .map(({ of, suite_id, run_id, is_active, passed, executed }) => {
        const result = is_active ? 'running' : `${passed} of ${executed} test runs passed`;
        return [`${of} ${suite_id}`, `Failed cases run again for diagnosis: [${result}](${publicUrl}/runs/${run_id}).`];
      }),
  );
  return (runId, suiteId) => words.get(`${runId} ${suiteId}`);
}

const earlierQuery = `
  select r.id as of, e.id from runs r
  cross join lateral (
    select e.id, e.created_at from runs e
    where e.tenant_id = r.tenant_id and e.repository_id = r.repository_id
      and e.head_sha = r.head_sha and e.pull_request is not distinct from r.pull_request
      and e.settings ->> 'checkName' = r.settings ->> 'checkName' and e.created_at < r.created_at
      and e.rerun_kind is distinct from 'failed'
    order by e.created_at desc limit 10) e
  where r.id = any($1::uuid[]) and r.rerun_kind in ('requested', 'baseline')
  order by r.id, e.created_at desc`;

/** Runs before each re-run under the same check, newest first: what it does not run again stands in them. None for other runs. */
export async function readEarlierRuns(tx: Kysely<unknown>, runIds: readonly string[]): Promise<Map<string, string[]>> {
  const { rows } = await tx.executeQuery(CompiledQuery.raw(earlierQuery, [runIds]));
  const earlier = z.array(z.object({ of: z.uuid(), id: z.uuid() })).parse(rows);
  return new Map(
    [...Map.groupBy(earlier, ({ of }) => of)].map(([of, ofIt]) => [of, ofIt.map(({ id }) => id)] as const),
  );
}
