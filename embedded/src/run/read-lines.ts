import { createReadStream } from 'node:fs';
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

export interface PlacedLine {
  text: string;
  place: Place;
  /** Nothing stands behind it, not even the end of a line: whoever wrote it may have been cut short. */
  isLast: boolean;
}

/** Every line of a file with its place; memory holds one line and one chunk at a time. */
export async function* readPlacedLines(path: string): AsyncGenerator<PlacedLine> {
  let offset = 0;
  let pieces: Buffer[] = [];
  const take = (end: Buffer, isLast: boolean): PlacedLine => {
    const bytes = pieces.length === 0 ? end : Buffer.concat([...pieces, end]);
    pieces = [];
    const place = { offset, length: bytes.length };
    offset += bytes.length + 1;
    return { text: bytes.toString('utf8'), place, isLast };
  };
  const chunks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(lineEnd); at !== -1; at = chunk.indexOf(lineEnd, from)) {
      yield take(chunk.subarray(from, at), false);
      from = at + 1;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
  }
  if (pieces.length > 0) yield take(Buffer.alloc(0), true);
}

const lineEnd = 0x0a;
