import type { EntityManager } from '@mikro-orm/postgresql';
import { FileContent } from '@proofmark/contracts/file-content';
import type { LoadedDefinitions } from '@proofmark/contracts/load-definitions';
import { sql } from 'kysely';
import { z } from 'zod';
import { countHistory } from './count-history.ts';
import { parseFiles } from './parse-files.ts';

const Stored = z.object({
  id: z.string(),
  headSha: z.string().nullable(),
  tenantId: z.string(),
  requested: z.object({
    suitePaths: z.array(z.string()),
    projectPath: z.string().nullable(),
    caseFiles: z.array(FileContent).default([]),
  }),
  files: z.array(z.object({ path: z.string(), text: z.string() })),
});

/** What a proposal is compared with. */
export interface Base {
  /** Where they stand. */
  commit: string | null;
  definitions: LoadedDefinitions;
  /** What is in the local files of its cases. */
  caseFiles: readonly FileContent[];
  /** Scored trials that every case of the base has already. */
  historyTrials: number;
}

interface Question {
  repositoryId: string;
  /** Commits that the base may be, the best first: merge base, base of the pull request. */
  commits: readonly string[];
}

/**
 * The definitions of the base branch as its runs stored them: those of the wanted commit, else of the newest base run.
 * Null when no base run was recorded yet, or when its files no longer parse.
 */
export async function loadBaseDefinitions(
  em: EntityManager,
  { repositoryId, commits }: Question,
): Promise<Base | null> {
  const { rows } = await sql`
    select r.id, r.head_sha as "headSha", r.tenant_id as "tenantId", r.requested, coalesce((
      select jsonb_agg(jsonb_build_object('path', f.path, 'text', d.text)) from run_files f
      join definition_files d on d.tenant_id = f.tenant_id and d.content_hash = f.content_hash
      where f.tenant_id = r.tenant_id and f.run_id = r.id), '[]') as files
    from runs r
    where r.repository_id = ${repositoryId} and r.is_base and r.status in ('pending', 'running', 'completed')
    order by array_position(${commits}::text[], r.head_sha) nulls last, r.created_at desc limit 1`.execute(
    em.getKysely(),
  );
  if (rows[0] === undefined) return null;
  const { requested, files, headSha: commit, ...run } = Stored.parse(rows[0]);
  const { definitions } = parseFiles({ files, ...requested });
  if (definitions.suites.length === 0) return null;
  return { commit, definitions, caseFiles: requested.caseFiles, historyTrials: await countHistory(em, run) };
}
