import type { IncomingMessage } from 'node:http';

type Body = { ok: true; bytes: Buffer } | { ok: false; reason: 'too-large' | 'aborted' };

/**
 * The whole body of a request, or why there is none. It stops reading at the first byte over the limit. `onChunk` sees
 * every part as it arrives.
 */
export async function readBody(
  request: IncomingMessage,
  limitBytes: number,
  onChunk?: (bytes: Buffer) => void,
): Promise<Body> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return { ok: false, reason: 'too-large' };
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
      size += bytes.length;
      if (size > limitBytes) return { ok: false, reason: 'too-large' };
      onChunk?.(bytes);
      chunks.push(bytes);
    }
  } catch {
    // The caller went away in the middle: there is nobody to answer.
    return { ok: false, reason: 'aborted' };
  }
  return { ok: true, bytes: Buffer.concat(chunks) };
}
