import type { CaseOutcome, TranscriptTurn } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { sql } from 'kysely';
import { type Database, inTenant } from '../../database/transactions.ts';
import { joinParts, joinPlan, plannedWork, type StoredParts } from '../../ledger/work-parts.ts';

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
    const { rows } = await sql<Omit<TranscriptView, 'work'> & { work: StoredParts | null }>`
      select c.id, ${plannedWork} as work, p.outcome from test_case_results c ${joinPlan('c')}
      left join test_case_payloads p on p.tenant_id = c.tenant_id and p.id = c.id
      where c.id = any(${ids}::uuid[])`.execute(em.getKysely());
    return rows.map(({ id, work, outcome }) => ({ id, work: work === null ? null : joinParts(work), outcome }));
  });
}
