import { sql } from 'kysely';

/** SQL that joins the open test runs of the chunk `c` as `m (test_run_id, n)`; their places are n - 1. */
export const openMembers = sql`
  cross join lateral (
    select u.test_run_id, u.n from unnest(c.members) with ordinality u(test_run_id, n)
    where (c.settled >> (u.n - 1)::int) & 1 = 0) m`;
