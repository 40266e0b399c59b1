import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** A text that is stored and must not be read in the database or a copy of it: sealed with a key that is not there. */
export function sealText(key: Buffer, text: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, key, iv);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `v1.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`;
}

/** Null: it was sealed with another key, or changed since. */
export function openText(key: Buffer, sealed: string): string | null {
  const bytes = Buffer.from(sealed.replace(/^v1\./, ''), 'base64url');
  if (!sealed.startsWith('v1.') || bytes.length < ivBytes + tagBytes) return null;
  try {
    const opened = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
    opened.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    return Buffer.concat([opened.update(bytes.subarray(ivBytes + tagBytes)), opened.final()]).toString('utf8');
  } catch {
    return null;
  }
}
