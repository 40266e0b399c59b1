import { sql } from 'kysely';

/** Whether the place has nothing to do any more. */
export const hasSettled = (settled: bigint, at: number): boolean => ((settled >> BigInt(at)) & 1n) === 1n;

/** The places of a chunk of so many test runs that are open. */
export function openPlaces(size: number, settled: bigint): number[] {
  return Array.from({ length: size }, (_, at) => at).filter((at) => !hasSettled(settled, at));
}

/** SQL that joins the open test runs of the chunk `c` as `m (test_run_id, n)`; their places are n - 1. */
export const openMembers = sql`
  cross join lateral (
    select u.test_run_id, u.n from unnest(c.members) with ordinality u(test_run_id, n)
    where (c.settled >> (u.n - 1)::int) & 1 = 0) m`;
