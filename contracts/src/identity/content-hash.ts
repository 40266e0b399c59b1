import { createHash, hash } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';

/** The SHA-256 of a value's canonical JSON, 64 hex digits: equal content, equal hash, whatever the order of keys. */
export function contentHash(value: unknown): string {
  return hash('sha256', canonicalJson(value));
}

/** The source expression by which a content security policy allows exactly this text of a style or script element. */
export const policyHash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The git object name of a file with this text, as GitHub's tree API lists it. */
export function gitBlobSha(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/**
 * The seed of one trial: equal for both arms of a comparison, different for every case and repetition. Sixteen digits written
 * anew: a piece of the whole hash would hold all of it, and a plan has a hundred thousand.
 */
export function trialSeed(runSeed: string, caseKey: string, repetition: number): string {
  sixteen.write(hash('sha256', `${runSeed}|${caseKey}|${repetition}`), 'latin1');
  return sixteen.toString('latin1');
}

const sixteen = Buffer.alloc(16);
