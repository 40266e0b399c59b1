import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Forge } from '../forge/open-forge.ts';

/** The files of a commit by their paths. */
export type CommitFiles = ReadonlyMap<string, { sha: string; size: number }>;

const Tree = z.looseObject({
  truncated: z.boolean().default(false),
  tree: z.array(
    z.looseObject({
      path: z.string(),
      mode: z.string(),
      type: z.string(),
      sha: z.string(),
      size: z.int().min(0).optional(),
    }),
  ),
});
const Blob = z.looseObject({ content: z.string(), encoding: z.literal('base64') });

/** Far above what a definition may have. */
const maxBytes = 4_000_000;
const symbolicLink = '120000';

/** All files of a commit, with one request; null when there are more than GitHub lists. Links are left out. */
export async function readTree(forge: Forge, commitSha: string): Promise<CommitFiles | null> {
  const route = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}';
  const { truncated, tree } = Tree.parse(await forge.read(route, { tree_sha: commitSha, recursive: '1' }));
  if (truncated) return null;
  const files = tree.filter(({ type, mode, size = 0 }) => type === 'blob' && mode !== symbolicLink && size <= maxBytes);
  return new Map(files.map(({ path, sha, size = 0 }) => [path, { sha, size }]));
}

export async function readBlob(forge: Forge, sha: string): Promise<string> {
  const { content } = Blob.parse(await forge.read('GET /repos/{owner}/{repo}/git/blobs/{file_sha}', { file_sha: sha }));
  return Buffer.from(content, 'base64').toString('utf8');
}

/** The text of a file of the checkout that is the very one of the commit; null when it is another or not there. */
export function sameInCheckout(
  root: string,
  path: string,
  { sha, size }: { sha: string; size: number },
): string | null {
  const place = join(root, path);
  const stats = lstatSync(place, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || (size !== 0 && stats.size !== size)) return null;
  const bytes = readFileSync(place);
  return gitHash(bytes, sha.length) === sha ? bytes.toString('utf8') : null;
}

/** The name of a file's content in git: SHA-1, or SHA-256 in repositories whose names are that long. */
function gitHash(bytes: Buffer, length: number): string {
  const hash = createHash(length === 40 ? 'sha1' : 'sha256');
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
