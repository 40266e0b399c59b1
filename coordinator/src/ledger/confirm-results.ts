import type { EntityManager } from '@mikro-orm/postgresql';
import type { ChunkRef, PlacesRef } from '@proofmark/contracts/control-messages';
import { type Chunk, confirmPlaces } from '@proofmark/domain/chunk';
import { sql } from 'kysely';
import { keysOf, type RowKey, uniqueKeys } from '../database/row-key.ts';

/** What has become of results that a runner sent and still keeps. One that is not named has not arrived, and would still count. */
export interface ConfirmedPlaces extends ChunkRef {
  recorded: number[];
  superseded: number[];
}

interface KnownChunk extends Pick<Chunk, 'state' | 'attempt'>, RowKey {
  settled: string;
}

/** Asks once for each chunk, however many results of it are on their way. */
export async function confirmResults(em: EntityManager, refs: readonly PlacesRef[]): Promise<ConfirmedPlaces[]> {
  if (refs.length === 0) return [];
  const keys = uniqueKeys(refs.map(({ tenantId, chunkId }) => ({ tenantId, id: chunkId })));
  const { rows } = await sql<KnownChunk>`
    select c.tenant_id as "tenantId", c.id, c.state, c.attempt, c.settled::text as settled
    from ${keysOf(keys)} k join chunks c on c.tenant_id = k.tenant_id and c.id = k.id`.execute(em.getKysely());
  const known = new Map(rows.map((row) => [`${row.tenantId} ${row.id}`, { ...row, settled: BigInt(row.settled) }]));
  return refs.map(({ at, ...ref }) => ({
    ...ref,
    ...confirmPlaces(known.get(`${ref.tenantId} ${ref.chunkId}`), { attempt: ref.attempt, at }),
  }));
}
