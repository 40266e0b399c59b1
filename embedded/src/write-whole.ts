import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a file and the folders above it, and returns its path. A process that is killed leaves the old file or the new. */
export async function writeWhole(path: string, content: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.part`, content);
  await rename(`${path}.part`, path);
  return path;
}
