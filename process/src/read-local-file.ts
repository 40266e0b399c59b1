import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { pathProblem } from '@proofmark/contracts/repository-path';

/** The bytes of a file, or why there are none, in words that name the place and never the content. */
export type Fetched = { ok: true; bytes: Buffer } | { ok: false; message: string };

export const largestFile = 20 * 1024 * 1024;

export const tooLarge = `is larger than ${largestFile / 1024 / 1024} MB`;

/** A file of the repository. Links may lead anywhere inside of the root that a path of its own could name, and nowhere else. */
export async function readLocalFile(path: string, root: string): Promise<Fetched> {
  const problem = pathProblem(path);
  if (problem !== undefined) return failed(problem);
  const resolved = await resolveInside(path, root);
  if (resolved === undefined) return failed('is not there');
  if (resolved.problem !== undefined) return failed(resolved.problem);
  try {
    // A pipe would otherwise be waited for.
    await using file = await open(resolved.real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return await readWhole(file);
  } catch (error) {
    return failed(`cannot be read (${codeOf(error) ?? 'unknown'})`);
  }
}

async function resolveInside(
  path: string,
  root: string,
): Promise<{ real: string; problem: string | undefined } | undefined> {
  try {
    const realRoot = await realpath(root);
    const real = await realpath(join(realRoot, path));
    const inside = relative(realRoot, real).split(sep).join('/');
    return { real, problem: pathProblem(inside) };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The handle is opened once, so that what is checked is what is read; the bytes are counted, because a file may grow. */
async function readWhole(file: FileHandle): Promise<Fetched> {
  const stats = await file.stat();
  if (!stats.isFile()) return failed('is not a regular file');
  if (stats.size > largestFile) return failed(tooLarge);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestFile) return failed(tooLarge);
    chunks.push(chunk);
  }
  return { ok: true, bytes: Buffer.concat(chunks, size) };
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;

const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error) ?? '');

const failed = (reason: string): Fetched => ({ ok: false, message: `\`path\` ${reason}` });
