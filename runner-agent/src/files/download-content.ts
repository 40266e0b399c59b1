import { createHash } from 'node:crypto';
import type { FetchableFile } from '@proofmark/contracts/file-content';
import { pause } from '../retry/pause.ts';
import { downloadFile } from './download-file.ts';
import type { Fetched } from './fetched.ts';

/** Pauses before the tries after the first: a coordinator that is being replaced is back within seconds. */
const pausesMs = [500, 2_000];

/**
 * Fetches a file that was sent with the run, and checks that it is the one that was meant. `url` has the origin that the
 * coordinator named at the handshake; nothing else is asked, whatever it answers.
 */
export async function downloadContent({ url, sha256 }: FetchableFile, signal: AbortSignal): Promise<Fetched> {
  const allowedOrigins = new Set([new URL(url).origin]);
  const once = () => downloadFile(url, { allowedOrigins, redirects: 0, signal });
  let fetched = await once();
  for (const ms of pausesMs) {
    if (fetched.ok) break;
    await pause(ms, signal);
    fetched = await once();
  }
  if (!fetched.ok) return failed('could not be fetched from the coordinator');
  return hasDigest(fetched.bytes, sha256) ? fetched : failed('came from the coordinator with another content');
}

export const hasDigest = (bytes: Buffer, sha256: string): boolean =>
  createHash('sha256').update(bytes).digest('hex') === sha256;

const failed = (reason: string): Fetched => ({ ok: false, message: `\`path\` ${reason}` });
