import type { EntityManager } from '@mikro-orm/postgresql';
import type { AttemptRef } from '@proofmark/contracts/control-messages';
import { sql } from 'kysely';
import { type Columns, unnest } from '../database/unnest.ts';

export interface Confirmation extends AttemptRef {
  /** `unknown`: no result has arrived, and one would still count. */
  state: 'recorded' | 'superseded' | 'unknown';
}

const columns: Columns<AttemptRef> = {
  test_run_id: { type: 'uuid', of: ({ testRunId }) => testRunId },
  attempt: { type: 'int4', of: ({ attempt }) => attempt },
};

/** What has become of the results that a runner sent and still keeps. */
export async function confirmAttempts(em: EntityManager, refs: readonly AttemptRef[]): Promise<Confirmation[]> {
  if (refs.length === 0) return [];
  const { rows } = await sql<Confirmation>`
    select u.test_run_id as "testRunId", u.attempt,
      case
        when l.state = 'done' and l.attempt = u.attempt then 'recorded'
        when l.state = 'leased' and l.attempt = u.attempt then 'unknown'
        else 'superseded'
      end as state
    from ${unnest(refs, columns, 'u')} left join test_run_leases l on l.test_run_id = u.test_run_id`.execute(
    em.getKysely(),
  );
  return rows;
}
