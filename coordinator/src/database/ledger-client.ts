import pg from 'pg';
import { preparedName } from './prepared.ts';

type Ask = (text: unknown, values?: unknown, ...rest: unknown[]) => Promise<unknown>;

const opens = (text: string): boolean => text === 'begin' || text.startsWith('start transaction');

const rolledBack = { command: 'ROLLBACK', rowCount: null, rows: [] };

/**
 * A connection to the ledger. It prepares the statements that ask for it, and it leaves its pool when it is lost.
 *
 * Kysely keeps the connection of a transaction that it could not begin or roll back, for ever: each one that Postgres ends in
 * a transaction would take a place of the pool with it, until none is left. So a rollback on a lost connection succeeds, as
 * Postgres has rolled back already, and one that could begin nothing goes back by itself.
 *
 * A prepared statement that could not be sent is forgotten by Postgres and not by pg, so its connection ends with it.
 */
export class LedgerClient extends pg.Client {
  /** Set by the pool while somebody has the connection. */
  declare release?: (isLost: boolean) => void;

  constructor(settings: pg.ClientConfig) {
    super(settings);
    const ask: Ask = this.query.bind(this);
    const begin: Ask = (text, values) =>
      ask(text, values).catch((error: unknown) => {
        this.release?.(true);
        throw error;
      });
    const rollback: Ask = (text, values) =>
      ask(text, values).catch(() => {
        void this.end();
        return rolledBack;
      });
    const askPrepared = (name: string, text: string, values: unknown, rest: unknown[]) =>
      ask({ name, text, values }, ...rest).catch((error: unknown) => {
        if (!(error instanceof pg.DatabaseError)) void this.end();
        throw error;
      });
    const query: Ask = (text, values, ...rest) => {
      if (typeof text !== 'string') return ask(text, values, ...rest);
      if (text === 'rollback') return rollback(text, values);
      if (opens(text)) return begin(text, values);
      const name = preparedName(text);
      return name === undefined ? ask(text, values, ...rest) : askPrepared(name, text, values, rest);
    };
    Object.assign(this, { query });
  }
}
