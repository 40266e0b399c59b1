import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { z } from 'zod';
import { askAsWorker, type Database } from '../database/transactions.ts';
import type { Caller } from './caller.ts';

const linkMinutes = 15;

/** A path of this coordinator, and of no other server: browsers leave out tabs and the like, so nothing but what is printed. */
export const OwnPath = z
  .string()
  .max(500)
  .regex(/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/);

const Link = z.object({
  tenant: z.uuid(),
  /** Id of the token whose rights it gives. */
  token: z.uuid(),
  nonce: z.string().regex(/^[A-Za-z0-9_-]{22}$/),
  /** Seconds since 1970. */
  expires: z.coerce.number().int().min(0),
  /** Where it leads on this coordinator. */
  to: OwnPath,
});
type Link = z.infer<typeof Link>;

/** Makes links that sign a browser in once, with the rights of the token that asked for them. */
export interface SignInLinks {
  /** Null: `to` is no path of this coordinator. */
  sign: (caller: Pick<Caller, 'tenantId' | 'tokenId'>, to: string) => { url: string; expiresAt: string } | null;
  /** Whose rights a link gives, and where it leads; null for one that was not signed here, has ended or was used. */
  use: (
    database: Database,
    query: URLSearchParams,
  ) => Promise<{ tenantId: string; tokenId: string; to: string } | null>;
}

export function signInLinks(key: Buffer, { publicUrl, now }: { publicUrl: string; now: () => number }): SignInLinks {
  const signatureOf = ({ tenant, token, nonce, expires, to }: Link) =>
    createHmac('sha256', key).update(['sign-in', tenant, token, nonce, expires, to].join('\n')).digest();
  return {
    sign: ({ tenantId, tokenId }, to) => {
      const expires = Math.floor(now() / 1000) + linkMinutes * 60;
      const nonce = randomBytes(16).toString('base64url');
      const link = Link.safeParse({ tenant: tenantId, token: tokenId, nonce, expires, to });
      if (!link.success) return null;
      const signature = signatureOf(link.data).toString('hex');
      const query = new URLSearchParams({ ...link.data, expires: `${expires}`, signature });
      return { url: `${publicUrl}/session/link?${query}`, expiresAt: new Date(expires * 1000).toISOString() };
    },
    use: async (database, query) => {
      const link = Link.safeParse(Object.fromEntries(query));
      const given = query.get('signature') ?? '';
      if (!link.success || !/^[0-9a-f]{64}$/.test(given)) return null;
      if (!timingSafeEqual(signatureOf(link.data), Buffer.from(given, 'hex'))) return null;
      const { tenant, token, nonce, expires, to } = link.data;
      if (expires * 1000 <= now()) return null;
      const first = await askAsWorker(
        database,
        sql<{ jti: string }>`
          insert into used_token_ids (jti, expires_at) values (${`sign-in:${nonce}`}, to_timestamp(${expires}))
          on conflict do nothing returning jti`,
      );
      return first.length === 0 ? null : { tenantId: tenant, tokenId: token, to };
    },
  };
}
