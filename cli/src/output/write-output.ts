import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a file and the folders above it. What is wrong with the place, if it cannot be written. */
export async function writeOutput(path: string, text: string): Promise<string | undefined> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return undefined;
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return `--output cannot be written: ${error.message}`;
    throw error;
  }
}
