import { sql } from 'kysely';
import { noMailServer } from '../alerts/deliver-alert.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import type { Loop } from './run-loops.ts';
import { takeTurn } from './take-turn.ts';

type ParkedOptions = {
  database: Database;
  /** Whether this coordinator can send mails. */
  hasMail: boolean;
  /** Something is to be delivered again. */
  onDue: () => void;
};

const everyMs = 300_000;

/** Tries again what was parked, whether or not there is an App. */
export function parkedDeliveries({ database, hasMail, onDue }: ParkedOptions): Loop {
  return {
    name: 'parked',
    every: everyMs,
    run: async () => {
      // Each time: while replicas are replaced, one that has no mail server yet takes mails and parks them again.
      const mails = hasMail ? await retryMails(database) : 0;
      // Shorter than the shortest rest of a loop, so that a replica alone has every turn.
      const others = (await takeTurn(database, 'parked', everyMs * 0.7)) ? await retryParked(database) : 0;
      if (mails + others > 0) onDue();
      return { dueAgain: mails + others };
    },
  };
}

/** What is wanted still: a check, a comment, and an alert of what is not over. */
const isWanted = sql`(o.kind in ('github-check', 'github-comment') or o.kind = 'alert' and not exists (
  select from alerts l where l.tenant_id = o.tenant_id and l.id = o.alert_id and l.ended_at is not null))`;

/** What was parked an hour ago may work by now, unless it can never; after a day nobody reads it any more. */
async function retryParked(database: Database): Promise<number> {
  return await asWorker(database, async (em) => {
    const { rows } = await sql`
      update outbox o set state = 'due', tries = 0, next_try_at = now()
      where o.state = 'parked' and ${isWanted}
        and o.next_try_at < now() - interval '1 hour' and o.updated_at > now() - interval '24 hours'
      returning 1`.execute(em.getKysely());
    return rows.length;
  });
}

async function retryMails(database: Database): Promise<number> {
  return await asWorker(database, async (em) => {
    const { rows } = await sql`
      update outbox o set state = 'due', tries = 0, next_try_at = now()
      where o.state = 'parked' and o.kind = 'alert' and o.reason = ${noMailServer} and ${isWanted}
        and o.updated_at > now() - interval '24 hours'
      returning 1`.execute(em.getKysely());
    return rows.length;
  });
}

/** Whatever was parked for repositories of this account is tried at once: the App was given more than it had. */
export async function retryForAccount(database: Database, host: string, ownerExternalId: number): Promise<number> {
  return await asWorker(database, async (em) => {
    const { rows } = await sql`
      update outbox o set state = 'due', tries = 0, next_try_at = now(), updated_at = now()
      from repositories g
      where g.host = ${host} and g.owner_external_id = ${String(ownerExternalId)} and g.tenant_id = o.tenant_id
        and g.id = case when o.kind = 'alert'
          then (select c.repository_id from alert_channels c
            where c.tenant_id = o.tenant_id and c.id::text = o.subject ->> 'channelId' and c.kind = 'github_issue')
          else (select r.repository_id from runs r where r.tenant_id = o.tenant_id and r.id = o.run_id) end
        and o.state = 'parked' and ${isWanted}
        and o.next_try_at < 'infinity' and o.updated_at > now() - interval '7 days'
      returning 1`.execute(em.getKysely());
    return rows.length;
  });
}
