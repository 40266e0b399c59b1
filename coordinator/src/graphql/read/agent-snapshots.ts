import type { AgentDefinition } from '@proofmark/contracts/agent-file';
import { sql } from 'kysely';
import { type Database, inTenant } from '../../database/connect.ts';

export interface AgentSnapshotView {
  id: string;
  contentHash: string;
  definition: AgentDefinition;
}

/** The snapshots with these ids that belong to the tenant, in no order. */
export async function readAgentSnapshots(
  database: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<AgentSnapshotView[]> {
  return await inTenant(database, tenantId, async (em) => {
    const { rows } = await sql<AgentSnapshotView>`
      select id, content_hash as "contentHash", definition from agent_snapshots where id = any(${ids}::uuid[])`.execute(
      em.getKysely(),
    );
    return rows;
  });
}
