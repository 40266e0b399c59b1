import type { EntityManager } from '@mikro-orm/postgresql';
import { resolveReference } from '@proofmark/contracts/repository-path';
import { sql } from 'kysely';
import { pathOf, type StoredSuite } from '../definitions/stored-suite.ts';

/** The file of labelled answers that a stored suite names, as its last run outside of pull requests had it; else nothing. */
export async function readLabels(em: EntityManager, suite: StoredSuite): Promise<{ path: string; text: string }[]> {
  const named = suite.definition.judge?.calibration_file;
  const resolved = named === undefined ? null : resolveReference(pathOf(suite), named);
  if (resolved === null || !resolved.ok) return [];
  const { path } = resolved;
  const { rows } = await sql<{ text: string }>`
    select d.text from test_suite_runs s
    join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    join run_files f on f.tenant_id = r.tenant_id and f.run_id = r.id and f.path = ${path}
    join definition_files d on d.tenant_id = f.tenant_id and d.content_hash = f.content_hash
    where s.suite_id = ${suite.id} and s.variant <> 'baseline' and r.pull_request is null
    order by s.created_at desc limit 1`.execute(em.getKysely());
  return rows.map(({ text }) => ({ path, text }));
}
