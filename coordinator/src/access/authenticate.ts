import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import { askAsWorker, type Database, readInTenant } from '../database/transactions.ts';
import { type Caller, RunClaims, Scope } from './caller.ts';
import { hashToken, isOurToken, isSameHash } from './token.ts';

interface TokenRow {
  id: string;
  tenantId: string;
  userId: string;
  kind: 'api' | 'run';
  tokenHash: string;
  scopes: string[];
  repositoryId: string | null;
  claims: unknown;
  isValid: boolean;
  isUsedLately: boolean;
}

const isValid = sql`(revoked_at is null and (expires_at is null or expires_at > now()))`;

/** Whose token this is; null for a missing, unknown, expired or revoked one, without telling which. */
export async function authenticate(database: Database, bearer: string): Promise<Caller | null> {
  const tokenHash = hashToken(bearer);
  const row = isOurToken(bearer) ? await findToken(database, tokenHash) : undefined;
  const isRight = isSameHash(row?.tokenHash ?? hashToken(''), tokenHash) && row?.isValid === true;
  if (!isRight || row === undefined) return null;
  return {
    tenantId: row.tenantId,
    userId: row.userId,
    tokenId: row.id,
    kind: row.kind,
    // A scope that a later version wrote grants nothing here.
    scopes: new Set(row.scopes.flatMap((scope) => Scope.safeParse(scope).data ?? [])),
    repositoryId: row.repositoryId,
    claims: row.claims === null ? null : RunClaims.parse(row.claims),
  };
}

/** One statement, for whoever sends anything at all: strangers hold no connection for longer. */
async function findToken(database: Database, tokenHash: string): Promise<TokenRow | undefined> {
  const [row] = await askAsWorker(
    database,
    sql<TokenRow>`${prepared}
      select id, tenant_id as "tenantId", user_id as "userId", kind, token_hash as "tokenHash", scopes,
        repository_id as "repositoryId", claims, ${isValid} as "isValid",
        coalesce(last_used_at > now() - interval '1 minute', false) as "isUsedLately"
      from api_tokens where token_hash = ${tokenHash}`,
  );
  // Once a minute is enough to tell which tokens are in use, and spares a write per request.
  if (row?.isValid === true && !row.isUsedLately) {
    await askAsWorker(
      database,
      sql`update api_tokens set last_used_at = now() where tenant_id = ${row.tenantId} and id = ${row.id}`,
    );
  }
  return row;
}

/** Which of these tokens of a tenant still open anything. */
export async function validTokens(
  database: Database,
  tenantId: string,
  tokenIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await readInTenant(
    database,
    tenantId,
    sql<{ id: string }>`
      select id from api_tokens where id = any(${tokenIds}::uuid[]) and ${isValid}`,
  );
  return new Set(rows.map(({ id }) => id));
}
