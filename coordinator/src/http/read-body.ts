import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';

type Body = { ok: true; bytes: Buffer } | { ok: false; reason: 'too-large' | 'aborted' };

/** The whole body of a request, or why there is none. `onChunk` sees every part as it arrives. */
export async function readBody(
  request: IncomingMessage,
  limitBytes: number,
  onChunk?: (bytes: Buffer) => void,
): Promise<Body> {
  const isAnnounced = Number(request.headers['content-length'] ?? 0) > limitBytes;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of isAnnounced ? [] : request.iterator({ destroyOnReturn: false })) {
      const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
      size += bytes.length;
      if (size > limitBytes) break;
      onChunk?.(bytes);
      chunks.push(bytes);
    }
  } catch {
    // The caller went away in the middle: there is nobody to answer.
    return { ok: false, reason: 'aborted' };
  }
  if (!isAnnounced && size <= limitBytes) return { ok: true, bytes: Buffer.concat(chunks) };
  await throwAwayBody(request);
  return { ok: false, reason: 'too-large' };
}

/**
 * Takes what is left of a body that is refused, until the request times out. A caller that is cut off while it writes never
 * reads why.
 */
export async function throwAwayBody(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  const ended = new Promise<void>((resolve) => finished(request, () => resolve()));
  request.resume();
  await ended;
}
