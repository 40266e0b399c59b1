import { randomBytes } from 'node:crypto';

/** `20251101-143000-1a2b3c`, of a run or a session: sorts by time, and two in one second differ. */
export function newId(now: Date): string {
  const time = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return `${time}-${randomBytes(3).toString('hex')}`;
}
