import type { Ask } from '@proofmark/process/github';
import { z } from 'zod';
import type { CommittedFiles } from './feedback-port.ts';

const Tree = z.object({
  truncated: z.boolean().default(false),
  tree: z.array(
    z.object({
      path: z.string(),
      mode: z.string(),
      type: z.string(),
      sha: z.string(),
      size: z.int().min(0).optional(),
    }),
  ),
});
const Blob = z.object({ content: z.string(), encoding: z.literal('base64') });

/** What a file of a case may have at most; definitions are far smaller. */
const maxBytes = 20 * 1024 * 1024;
const symbolicLink = '120000';

/** The files of a commit, read when they are asked for; null when there are more than GitHub lists. Links are left out. */
export async function committedFiles(ask: Ask, sha: string): Promise<CommittedFiles | null> {
  const wanted = { tree_sha: sha, recursive: '1' };
  const { truncated, tree } = Tree.parse(await ask('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', wanted));
  if (truncated) return null;
  const files = tree.filter(({ type, mode, size = 0 }) => type === 'blob' && mode !== symbolicLink && size <= maxBytes);
  const byPath = new Map(files.map((file) => [file.path, file]));
  return {
    paths: new Set(byPath.keys()),
    size: (path) => byPath.get(path)?.size ?? 0,
    blobSha: (path) => byPath.get(path)?.sha ?? null,
    read: async (path) => {
      const file = byPath.get(path);
      if (file === undefined) throw new Error(`${path} is not in ${sha}`);
      const answer = await ask('GET /repos/{owner}/{repo}/git/blobs/{file_sha}', { file_sha: file.sha });
      return Buffer.from(Blob.parse(answer).content, 'base64');
    },
  };
}
