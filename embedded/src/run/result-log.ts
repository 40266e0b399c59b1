import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Where a line stands in its file, in bytes. */
export interface Place {
  offset: number;
  length: number;
}

/** A file that only grows, a line per result. Lines that come while one write is under way go into the next together. */
export interface ResultLog extends AsyncDisposable {
  /** Resolves when the line is in the file; a process that is killed then does not take it along. */
  append: (line: string) => Promise<Place>;
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
    append: async (line) => {
      const length = Buffer.byteLength(line);
      const place = { offset: size, length };
      size += length + 1;
      const { lines, written } = next;
      lines.push(line);
      if (lines.length === 1) {
        writing = writing.then(() => {
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
    await file.appendFile(`${lines.join('\n')}\n`);
    written.resolve();
  } catch (error) {
    written.reject(error);
  }
}
