import type { EntityManager } from '@mikro-orm/postgresql';
import type { ChunkRef, PlacesRef } from '@proofmark/contracts/control-messages';
import { sql } from 'kysely';
import { keysOf, uniqueKeys } from '../database/row-key.ts';
import { hasSettled } from './chunk-places.ts';

/** What has become of results that a runner sent and still keeps. One that is not named has not arrived, and would still count. */
export interface Confirmation extends ChunkRef {
  recorded: number[];
  superseded: number[];
}

interface KnownChunk {
  tenantId: string;
  id: string;
  state: 'queued' | 'leased' | 'done' | 'closed';
  attempt: number;
  settled: string;
}

/** Asks once for each chunk, however many results of it are on their way. */
export async function confirmResults(em: EntityManager, refs: readonly PlacesRef[]): Promise<Confirmation[]> {
  if (refs.length === 0) return [];
  const keys = uniqueKeys(refs.map(({ tenantId, chunkId }) => ({ tenantId, id: chunkId })));
  const { rows } = await sql<KnownChunk>`
    select c.tenant_id as "tenantId", c.id, c.state, c.attempt, c.settled::text as settled
    from ${keysOf(keys)} k join chunks c on c.tenant_id = k.tenant_id and c.id = k.id`.execute(em.getKysely());
  const known = new Map(rows.map((row) => [`${row.tenantId} ${row.id}`, row]));
  return refs.map(({ at, ...ref }) => {
    const chunk = known.get(`${ref.tenantId} ${ref.chunkId}`);
    if (chunk === undefined || chunk.attempt !== ref.attempt) return { ...ref, recorded: [], superseded: at };
    const settled = at.filter((place) => hasSettled(BigInt(chunk.settled), place));
    const open = at.filter((place) => !settled.includes(place));
    const counts = chunk.state === 'leased' || chunk.state === 'done';
    return {
      ...ref,
      recorded: counts ? settled : [],
      superseded: [...(counts ? [] : settled), ...(chunk.state === 'leased' ? [] : open)],
    };
  });
}
