import { randomUUID } from 'node:crypto';
import { appendFileSync, createReadStream, existsSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { parseJson } from '@proofmark/contracts/parse-json';

/** Where a line stands in its file, in bytes. */
export interface LinePlace {
  offset: number;
  length: number;
}

/** A file that only grows, a line per result, also behind those of an earlier process. Lines that come while one write is under way go into the next together. */
export interface ResultLog extends AsyncDisposable {
  /** Resolves when the line, after those before it, is in the file; a process that is killed then does not take it along. */
  append: (line: string, before?: readonly string[]) => Promise<LinePlace>;
}

interface Batch {
  lines: string[];
  written: PromiseWithResolvers<void>;
}

const newBatch = (): Batch => ({ lines: [], written: Promise.withResolvers() });

export async function openResultLog(path: string): Promise<ResultLog> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, 'a+');
  let size = await settleEnd(file);
  let next = newBatch();
  let writing: Promise<void> = Promise.resolve();
  return {
    append: async (line, before = []) => {
      for (const other of before) size += Buffer.byteLength(other) + 1;
      const place = { offset: size, length: Buffer.byteLength(line) };
      size += place.length + 1;
      const { lines, written } = next;
      const isFirst = lines.length === 0;
      lines.push(...before, line);
      if (isFirst) {
        // What else ends in this turn of the event loop is written along: a write costs more than many lines.
        writing = Promise.all([writing, endOfTurn()]).then(() => {
          const batch = next;
          next = newBatch();
          writeBatch(file, batch);
        });
      }
      await written.promise;
      return place;
    },
    async [Symbol.asyncDispose]() {
      await writing;
      await file.close();
    },
  };
}

/** How long the file is when it ends with a whole line: half of one is cut off, and a whole one without its end gets it. */
async function settleEnd(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  const tail = await lastLine(file, size);
  if (tail.length === 0) return size;
  if (parseJson(tail.toString('utf8')) !== undefined) {
    await file.write('\n');
    return size + 1;
  }
  const kept = size - tail.length;
  await file.truncate(kept);
  return kept;
}

const tailBytes = 1 << 16;

/** What stands behind the last end of a line. */
async function lastLine(file: FileHandle, size: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let end = size; end > 0; end -= tailBytes) {
    const start = Math.max(0, end - tailBytes);
    const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
    const at = buffer.lastIndexOf('\n');
    pieces.unshift(buffer.subarray(at + 1));
    if (at !== -1) break;
  }
  return Buffer.concat(pieces);
}

/**
 * A write that fails is told to each line of its batch. To hand over a few kilobytes to another thread costs five times as much
 * as to write them here.
 */
function writeBatch({ fd }: FileHandle, { lines, written }: Batch): void {
  try {
    appendFileSync(fd, `${lines.join('\n')}\n`);
    written.resolve();
  } catch (error) {
    written.reject(error);
  }
}

/** Lines for which nobody waits. Closing waits for the last one, and is told when one could not be written. */
interface LateLines extends AsyncDisposable {
  append: (line: string) => void;
}

/** Without any line the file is not made. */
export function appendLater(path: string): LateLines {
  let log: Promise<ResultLog> | undefined;
  let writing: Promise<unknown> = Promise.resolve();
  return {
    append: (line) => {
      log ??= openResultLog(path);
      writing = Promise.all([writing, log.then((open) => open.append(line))]);
      // Who closes is told of a failure; until then it must not end the process.
      writing.catch(() => undefined);
    },
    async [Symbol.asyncDispose]() {
      await writing;
      await (await log)?.[Symbol.asyncDispose]();
    },
  };
}

const CHUNK_BYTES = 1 << 20;

/** Reads lines of a file by their places. Places that lie near each other cost one read together. */
interface LineReader extends AsyncDisposable {
  line: (place: LinePlace) => Promise<string>;
}

interface Chunk {
  start: number;
  bytes: Buffer;
}

export async function openLines(path: string): Promise<LineReader> {
  const file = await open(path, 'r');
  let room = Buffer.alloc(0);
  let chunk: Chunk = { start: 0, bytes: room };
  const fetch = async ({ offset, length }: LinePlace): Promise<void> => {
    // Begins a little before, because what is asked for next may have been written first.
    const start = Math.max(0, offset - CHUNK_BYTES / 4);
    const wanted = offset - start + Math.max(length, CHUNK_BYTES);
    // Always the same memory: what is given back waits for the collector of garbage, and that waits long.
    if (room.length < wanted) room = Buffer.allocUnsafe(wanted);
    // A read that fails may have filled a part of it: what was there before is gone.
    chunk = { start: 0, bytes: room.subarray(0, 0) };
    const { bytesRead } = await file.read(room, 0, wanted, start);
    chunk = { start, bytes: room.subarray(0, bytesRead) };
  };
  const read = async (place: LinePlace): Promise<string> => {
    const { offset, length } = place;
    const isInside = offset >= chunk.start && offset + length <= chunk.start + chunk.bytes.length;
    if (!isInside) await fetch(place);
    const from = offset - chunk.start;
    return chunk.bytes.toString('utf8', from, from + length);
  };
  let turn: Promise<unknown> = Promise.resolve();
  return {
    // One after another: who waits for a line must not have the memory filled with others meanwhile.
    line: (place) => {
      const found = turn.then(() => read(place));
      // Whoever asked for it is told of a failure; the next one reads all the same.
      turn = found.catch(() => undefined);
      return found;
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}

interface PlacedLine {
  text: string;
  place: LinePlace;
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

interface Schema<Value> {
  safeParse: (value: unknown) => { success: true; data: Value } | { success: false };
}

/** The values of a file with one per line; empty without a file. A last line that was cut in its middle is none. */
export async function readJsonLines<Value>(path: string, schema: Schema<Value>): Promise<Value[]> {
  if (!existsSync(path)) return [];
  const values: Value[] = [];
  for await (const { text, isLast, place } of readPlacedLines(path)) {
    const parsed = schema.safeParse(parseJson(text));
    if (parsed.success) values.push(parsed.data);
    else if (!isLast) throw new Error(`${path} cannot be read: at byte ${place.offset} there is something else`);
  }
  return values;
}

/**
 * Writes a file and the folders above it, of a text or of its pieces, and returns its path. A process that is killed leaves the
 * old file or the new, and so do two that write it at once.
 */
export async function writeWhole(path: string, content: string | Iterable<string>): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(part, content);
    await rename(part, path);
  } finally {
    await rm(part, { force: true });
  }
  return path;
}
