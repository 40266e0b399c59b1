import type { Database } from '../database/transactions.ts';
import { readSession } from '../ledger/sessions.ts';

const remembered = 10_000;

/** Which runner a session belongs to, null for an unknown session. The owner never changes, so it is asked for once. */
export type OwnerOf = (sessionId: string) => Promise<string | null>;

export function sessionOwners(database: Database): OwnerOf {
  const owners = new Map<string, string>();
  return async (sessionId) => {
    const known = owners.get(sessionId);
    if (known !== undefined) return known;
    const session = await readSession(database, sessionId);
    if (session === null) return null;
    if (owners.size >= remembered) owners.clear();
    owners.set(sessionId, session.runnerId);
    return session.runnerId;
  };
}
