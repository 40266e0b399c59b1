import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as endOfTurn } from 'node:timers/promises';

/** Where a line stands in its file, in bytes. */
export interface Place {
  offset: number;
  length: number;
}

/** A file that only grows, a line per result. Lines that come while one write is under way go into the next together. */
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
  const file = await open(path, 'a');
  let size = 0;
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

/** A write that fails is told to each line of its batch. */
async function writeBatch(file: FileHandle, { lines, written }: Batch): Promise<void> {
  try {
    await file.write(`${lines.join('\n')}\n`);
    written.resolve();
  } catch (error) {
    written.reject(error);
  }
}
