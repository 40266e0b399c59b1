import { type FileHandle, open } from 'node:fs/promises';
import type { Place } from './result-log.ts';

const CHUNK_BYTES = 1 << 20;

/** Reads lines of a file by their places. Places that lie near each other cost one read together. */
export interface LineReader extends AsyncDisposable {
  line: (place: Place) => Promise<string>;
}

interface Chunk {
  start: number;
  bytes: Buffer;
}

export async function openLines(path: string): Promise<LineReader> {
  const file = await open(path, 'r');
  let chunk: Chunk = { start: 0, bytes: Buffer.alloc(0) };
  return {
    line: async ({ offset, length }) => {
      const isInside = offset >= chunk.start && offset + length <= chunk.start + chunk.bytes.length;
      if (!isInside) chunk = await readChunk(file, offset, Math.max(length, CHUNK_BYTES));
      const from = offset - chunk.start;
      return chunk.bytes.toString('utf8', from, from + length);
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}

/** Begins a little before, because what is asked for next may have been written first. */
async function readChunk(file: FileHandle, offset: number, bytes: number): Promise<Chunk> {
  const start = Math.max(0, offset - CHUNK_BYTES / 4);
  const buffer = Buffer.allocUnsafe(offset - start + bytes);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
  return { start, bytes: buffer.subarray(0, bytesRead) };
}
