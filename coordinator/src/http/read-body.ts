import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';

type Body = { ok: true; bytes: Buffer } | { ok: false; reason: 'too-large' | 'aborted' | 'no-room' };

type Reading = {
  /** Sees every part as it arrives. */
  onChunk?: (bytes: Buffer) => void;
  /** What all bodies of this kind may hold together while they are read. */
  room?: BodyRoom;
};

/** The whole body of a request, or why there is none. */
export async function readBody(
  request: IncomingMessage,
  limitBytes: number,
  { onChunk, room }: Reading = {},
): Promise<Body> {
  const share = room?.share() ?? boundless;
  try {
    return await gather(request, limitBytes, (bytes) => {
      onChunk?.(bytes);
      return share.take(bytes.length);
    });
  } finally {
    share.giveBack();
  }
}

/** Bytes of which several readers have a share each, until they give it back. */
interface BodyRoom {
  share: () => Share;
}

interface Share {
  /** Whether there was room for so many more. */
  take: (bytes: number) => boolean;
  giveBack: () => void;
}

const boundless: Share = { take: () => true, giveBack: () => undefined };

export function bodyRoom(mostBytes: number): BodyRoom {
  let usedBytes = 0;
  return {
    share: () => {
      let ownBytes = 0;
      return {
        take: (bytes) => {
          if (usedBytes + bytes > mostBytes) return false;
          usedBytes += bytes;
          ownBytes += bytes;
          return true;
        },
        giveBack: () => {
          usedBytes -= ownBytes;
          ownBytes = 0;
        },
      };
    },
  };
}

type Refused = 'too-large' | 'no-room';

/** `keep` says of each part whether there is room for it. */
async function gather(request: IncomingMessage, limitBytes: number, keep: (bytes: Buffer) => boolean): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  const refusalOf = (bytes: Buffer): Refused | null => {
    size += bytes.length;
    if (size > limitBytes) return 'too-large';
    return keep(bytes) ? null : 'no-room';
  };
  let refused: Refused | null = Number(request.headers['content-length'] ?? 0) > limitBytes ? 'too-large' : null;
  try {
    for await (const chunk of refused === null ? request.iterator({ destroyOnReturn: false }) : []) {
      const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
      refused = refusalOf(bytes);
      if (refused !== null) break;
      chunks.push(bytes);
    }
  } catch {
    // The caller went away in the middle: there is nobody to answer.
    return { ok: false, reason: 'aborted' };
  }
  if (refused === null) return { ok: true, bytes: Buffer.concat(chunks) };
  chunks.length = 0;
  await throwAwayBody(request);
  return { ok: false, reason: refused };
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
