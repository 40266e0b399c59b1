import { sql } from 'kysely';
import { asWorker, type Database } from '../database/transactions.ts';
import type { Loop } from './run-loops.ts';

const hourMs = 3_600_000;
/** Of what may be very many: the rest goes with the next pass. */
const atOnce = 50_000;

/** Removes what nobody asks for any more: ended sessions, dead letters, old tokens, unused limits, forgotten replicas. */
export function housekeeping(database: Database, { auditDays }: { auditDays: number }): Loop {
  return {
    name: 'housekeeping',
    every: hourMs,
    run: async () =>
      await asWorker(database, async (em) => {
        const connection = em.getKysely();
        const removed = async (statement: ReturnType<typeof sql>) => (await statement.execute(connection)).rows.length;
        return {
          sessions: await removed(sql`
            delete from runner_sessions s where s.state <> 'open' and s.lease_until < now() - interval '7 days'
              and not exists (select 1 from chunks c where c.session_id = s.id and c.state = 'leased') returning 1`),
          deadLetters: await removed(
            sql`delete from dead_letters where created_at < now() - interval '30 days' returning 1`,
          ),
          tokenIds: await removed(sql`delete from used_token_ids where expires_at < now() returning 1`),
          runTokens: await removed(
            sql`delete from api_tokens where kind in ('run', 'session') and expires_at < now() - interval '1 day' returning 1`,
          ),
          auditEntries: await removed(
            sql`delete from audit_entries where (tenant_id, id) in (
              select tenant_id, id from audit_entries where at < now() - ${auditDays} * interval '1 day'
              order by at limit ${atOnce}) returning 1`,
          ),
          deliveries: await removed(
            sql`delete from webhook_deliveries where received_at < now() - interval '7 days' returning 1`,
          ),
          rateBuckets: await removed(
            sql`delete from rate_buckets where updated_at < now() - interval '7 days' returning 1`,
          ),
          callHolders: await removed(
            sql`delete from call_holders h where not exists (
              select from runner_sessions s where s.id = h.session_id and s.state = 'open') or h.held + h.wants = 0 returning 1`,
          ),
          // Those of runs go with their runs.
          alerts: await removed(
            sql`delete from alerts where run_id is null and created_at < now() - interval '90 days' returning 1`,
          ),
          replicas: await removed(
            sql`delete from coordinator_beats where beat_at < now() - interval '7 days' returning 1`,
          ),
        };
      }),
  };
}
