import type { CaseOutcome, TranscriptTurn } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { sql } from 'kysely';
import { type Database, inTenant } from '../../database/connect.ts';

/** The large part of a result, which lists leave aside. */
export interface TranscriptView {
  id: string;
  work: CaseWork | null;
  outcome: (Partial<CaseOutcome> & { transcript?: TranscriptTurn[] }) | null;
}

/** The transcripts of these test runs that belong to the tenant, in no order. */
export async function readTranscripts(
  database: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<TranscriptView[]> {
  return await inTenant(database, tenantId, async (em) => {
    const { rows } = await sql<TranscriptView>`
      select id, work, outcome from test_case_payloads where id = any(${ids}::uuid[])`.execute(em.getKysely());
    return rows;
  });
}
