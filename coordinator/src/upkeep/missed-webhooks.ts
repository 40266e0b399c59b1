import { sql } from 'kysely';
import { asWorker, type Database } from '../database/transactions.ts';
import type { FeedbackPort } from '../feedback/feedback-port.ts';
import type { Loop } from './run-loops.ts';
import { takeTurn } from './take-turn.ts';

type MissedWebhooksOptions = {
  database: Database;
  everyMs: number;
  forge: Pick<FeedbackPort, 'redeliverFailed'>;
};

/** Has webhooks sent again that came while nobody could take them: the forge does not do so by itself. */
export function missedWebhooks({ database, everyMs, forge }: MissedWebhooksOptions): Loop {
  return {
    name: 'missed-webhooks',
    every: everyMs,
    run: async () => {
      if (!(await takeTurn(database, 'missed-webhooks', everyMs * 0.7))) return {};
      return { askedFor: await forge.redeliverFailed((guids) => arrived(database, guids)) };
    },
  };
}

async function arrived(database: Database, guids: readonly string[]): Promise<ReadonlySet<string>> {
  if (guids.length === 0) return new Set();
  return await asWorker(database, async (em) => {
    const { rows } = await sql<{ guid: string }>`
      select delivery_id as guid from webhook_deliveries where delivery_id = any(${[...guids]}::text[])`.execute(
      em.getKysely(),
    );
    return new Set(rows.map(({ guid }) => guid));
  });
}
