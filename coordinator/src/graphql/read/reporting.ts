import { sql } from 'kysely';
import { type Database, inTenant } from '../../database/connect.ts';

export interface ReportingView {
  kind: 'github-check' | 'github-comment';
  name: string;
  state: 'due' | 'done' | 'parked';
  reason: string | null;
  tries: number;
}

/** What the coordinator writes to the forge for a run, and how far it has come. */
export async function readReporting(database: Database, tenantId: string, runId: string): Promise<ReportingView[]> {
  return await inTenant(database, tenantId, async (em) => {
    const { rows } = await sql<ReportingView>`
      select kind, coalesce(subject ->> 'name', subject ->> 'commentKey', '') as name, state, reason, tries
      from outbox where run_id = ${runId} and kind in ('github-check', 'github-comment') order by kind, dedupe_key`.execute(
      em.getKysely(),
    );
    return rows;
  });
}
