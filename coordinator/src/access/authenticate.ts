import { Role, Scope } from '@proofmark/contracts/words';
import DataLoader from 'dataloader';
import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import { askAsWorker, type Database, readInTenant } from '../database/transactions.ts';
import { type Caller, RunClaims } from './caller.ts';
import { scopesWithin } from './principal-roles.ts';
import { hashToken, isOurToken, isSameHash, type TokenKind } from './token.ts';

interface TokenRow {
  id: string;
  tenantId: string;
  userId: string;
  kind: TokenKind;
  tokenHash: string;
  scopes: string[];
  role: string;
  repositoryId: string | null;
  claims: unknown;
  isValid: boolean;
  isUsedLately: boolean;
}

/** A session opens nothing any more once the token has ended that it was signed in with, and nobody who is disabled anything. */
const isValid = sql`(k.revoked_at is null and u.disabled_at is null and (k.expires_at is null or k.expires_at > now()) and (k.parent_id is null or exists (
  select from api_tokens p where p.tenant_id = k.tenant_id and p.id = k.parent_id
    and p.revoked_at is null and (p.expires_at is null or p.expires_at > now()))))`;

const selected = sql`
  select k.id, k.tenant_id as "tenantId", k.user_id as "userId", k.kind, k.token_hash as "tokenHash", k.scopes, u.role,
    k.repository_id as "repositoryId", k.claims, ${isValid} as "isValid",
    coalesce(k.last_used_at > now() - interval '1 minute', false) as "isUsedLately"
  from api_tokens k join users u on u.tenant_id = k.tenant_id and u.id = k.user_id`;

/**
 * Whose token this is; null for a missing, unknown, expired or revoked one, without telling which. What a browser keeps in its
 * cookie is no token, and a token is no cookie: each counts in its place only.
 */
export async function authenticate(
  database: Database,
  bearer: string,
  expected: 'token' | 'session',
): Promise<Caller | null> {
  const tokenHash = hashToken(bearer);
  const row = isOurToken(bearer) ? await findToken(database, tokenHash) : undefined;
  const isRight = isSameHash(row?.tokenHash ?? hashToken(''), tokenHash) && row?.isValid === true;
  if (!isRight || row === undefined || (row.kind === 'session') !== (expected === 'session')) return null;
  return callerOf(row);
}

/** Whose token has this id; null where it opens nothing. Only for an id that was signed here. */
export async function callerOfToken(
  database: Database,
  { tenantId, tokenId }: Pick<Caller, 'tenantId' | 'tokenId'>,
): Promise<Caller | null> {
  const [row] = await readInTenant(database, tenantId, sql<TokenRow>`${selected} where k.id = ${tokenId}`);
  return row?.isValid === true ? callerOf(row) : null;
}

const callerOf = (row: TokenRow): Caller => ({
  tenantId: row.tenantId,
  userId: row.userId,
  tokenId: row.id,
  kind: row.kind,
  // A scope or role that a later version wrote grants nothing here.
  scopes: scopesWithin(
    Role.safeParse(row.role).data ?? 'runner',
    row.scopes.flatMap((scope) => Scope.safeParse(scope).data ?? []),
  ),
  repositoryId: row.repositoryId,
  claims: row.claims === null ? null : RunClaims.parse(row.claims),
});

const lookups = new WeakMap<Database, DataLoader<string, TokenRow | undefined>>();

/** The tokens of all requests that came in at the same moment, with one statement; what it says is kept for none that comes later. */
function lookupOf(database: Database): DataLoader<string, TokenRow | undefined> {
  const known = lookups.get(database);
  if (known !== undefined) return known;
  const lookup = new DataLoader<string, TokenRow | undefined>(
    async (hashes) => {
      const rows = await askAsWorker(
        database,
        sql<TokenRow>`${prepared} ${selected} where k.token_hash = any(${[...new Set(hashes)]}::text[])`,
      );
      const byHash = new Map(rows.map((row) => [row.tokenHash, row]));
      return hashes.map((hash) => byHash.get(hash));
    },
    { cache: false, maxBatchSize: 100, batchScheduleFn: (ask) => void setImmediate(ask) },
  );
  lookups.set(database, lookup);
  return lookup;
}

/** One statement, for whoever sends anything at all: strangers hold no connection for longer. */
async function findToken(database: Database, tokenHash: string): Promise<TokenRow | undefined> {
  const row = await lookupOf(database).load(tokenHash);
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
      select k.id from api_tokens k join users u on u.tenant_id = k.tenant_id and u.id = k.user_id
      where k.id = any(${tokenIds}::uuid[]) and ${isValid}`,
  );
  return new Set(rows.map(({ id }) => id));
}
