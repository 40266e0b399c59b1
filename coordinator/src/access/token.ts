import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const prefixes = { api: 'pmk_', run: 'pmr_', session: 'pms_' } as const;

/** Of a program or person, of a CI job, of a browser that is signed in. */
export type TokenKind = keyof typeof prefixes;

/** A new secret of 256 random bits. Only its hash is ever stored. */
export function newToken(kind: TokenKind): string {
  return prefixes[kind] + randomBytes(32).toString('base64url');
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Whether a text can be one of our tokens at all; anything else is not worth a question to the database. */
export function isOurToken(text: string): boolean {
  return /^pm[krs]_[A-Za-z0-9_-]{20,200}$/.test(text);
}

/** Compares two hashes without telling by its time where they differ. */
export function isSameHash(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
