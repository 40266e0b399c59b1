import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { parseJson } from './parse-json.ts';

/** Where a line stands in its file, in bytes. */
export interface Place {
  offset: number;
  length: number;
}

/** A file that only grows, a line per result, also behind those of an earlier process. Lines that come while one write is under way go into the next together. */
export interface ResultLog extends AsyncDisposable {
  /** Resolves when the line, after those before it, is in the file; a process that is killed then does not take it along. */
  append: (line: string, before?: readonly string[]) => Promise<Place>;
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
          return writeBatch(file, batch);
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

/** A write that fails is told to each line of its batch. */
async function writeBatch(file: FileHandle, { lines, written }: Batch): Promise<void> {
  try {
    await file.write(`${lines.join('\n')}\n`);
    written.resolve();
  } catch (error) {
    written.reject(error);
  }
}
