import type { Change } from '@proofmark/domain/affected-suites';
import { listPages } from '@proofmark/domain/list-pages';
import { z } from 'zod';
import type { Forge } from './open-forge.ts';

/** How a commit came from another one. */
export interface Comparison {
  /** The last commit that both have; null when it is not known. */
  mergeBaseSha: string | null;
  change: Change;
}

const ChangedFile = z.looseObject({ filename: z.string(), previous_filename: z.string().nullish() });
type ChangedFile = z.infer<typeof ChangedFile>;

const Compared = z.looseObject({
  merge_base_commit: z.looseObject({ sha: z.string() }),
  files: z.array(ChangedFile).default([]),
});

const PullRequest = z.looseObject({ changed_files: z.int(), head: z.looseObject({ sha: z.string() }) });

/** A comparison lists no more files than this, the list of a pull request ten times as many. */
const comparedFiles = 300;
const listedFiles = 3_000;

/** What `head` changes since it left `base`, with one request. */
export async function compareCommits(forge: Forge, base: string, head: string): Promise<Comparison> {
  // Only the commits are paged: the first page has all files that there are.
  const answer = await forge.read('GET /repos/{owner}/{repo}/compare/{basehead}', {
    basehead: `${base}...${head}`,
    per_page: 1,
  });
  const { merge_base_commit, files } = Compared.parse(answer);
  const change = { paths: files.flatMap(pathsOf), isComplete: files.length < comparedFiles };
  return { mergeBaseSha: merge_base_commit.sha, change };
}

/** All files of a pull request; not complete when there are too many, or when its head is another one by now. */
export async function listChange(forge: Forge, pullRequest: number, headSha: string): Promise<Change> {
  const number = { pull_number: pullRequest };
  const pull = PullRequest.parse(await forge.read('GET /repos/{owner}/{repo}/pulls/{pull_number}', number));
  if (pull.head.sha !== headSha || pull.changed_files >= listedFiles) return { paths: [], isComplete: false };
  const files = await listPages(async (page, perPage) => {
    const paging = { ...number, page, per_page: perPage };
    return z.array(ChangedFile).parse(await forge.read('GET /repos/{owner}/{repo}/pulls/{pull_number}/files', paging));
  });
  return { paths: files.flatMap(pathsOf), isComplete: files.length === pull.changed_files };
}

function pathsOf({ filename, previous_filename: before }: ChangedFile): string[] {
  return before === undefined || before === null ? [filename] : [filename, before];
}
