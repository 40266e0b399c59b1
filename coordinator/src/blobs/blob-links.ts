import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** What a signed URL allows: one content, for one attempt at one chunk, for a while. */
export const BlobGrant = z.object({
  tenant: z.uuid(),
  chunk: z.uuid(),
  attempt: z.coerce.number().int().min(1),
  /** Seconds since 1970, by the clock of the ledger. */
  expires: z.coerce.number().int().min(0),
});
export type BlobGrant = z.infer<typeof BlobGrant>;

export const grantLivesS = 15 * 60;

/** Signs the URLs of blobs and knows them again. */
export interface BlobLinks {
  /** Of all of them. */
  origin: string;
  sign: (digest: string, grant: BlobGrant) => string;
  /** What the URL of this content allows; null for one that we did not sign. Whether it has expired is for the ledger to say. */
  read: (digest: string, query: URLSearchParams) => BlobGrant | null;
}

export function blobLinks(key: Buffer, publicUrl: string): BlobLinks {
  const signatureOf = (digest: string, { tenant, chunk, attempt, expires }: BlobGrant) =>
    createHmac('sha256', key).update(['blob', digest, tenant, chunk, attempt, expires].join('\n')).digest();
  return {
    origin: new URL(publicUrl).origin,
    sign: (digest, grant) => {
      const { tenant, chunk, attempt, expires } = grant;
      const signature = signatureOf(digest, grant).toString('hex');
      const query = new URLSearchParams({ tenant, chunk, attempt: `${attempt}`, expires: `${expires}`, signature });
      return `${publicUrl}/blobs/${digest}?${query}`;
    },
    read: (digest, query) => {
      const parsed = BlobGrant.safeParse(Object.fromEntries(query));
      const given = query.get('signature') ?? '';
      if (!parsed.success || !/^[0-9a-f]{64}$/.test(given)) return null;
      return timingSafeEqual(signatureOf(digest, parsed.data), Buffer.from(given, 'hex')) ? parsed.data : null;
    },
  };
}
