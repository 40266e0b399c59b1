import type { Change } from '@proofmark/domain/affected-suites';
import { z } from 'zod';
import type { RepositoryClient } from './github-app.ts';

const Compared = z.object({
  files: z.array(z.object({ filename: z.string(), previous_filename: z.string().nullish() })).default([]),
});

/** A comparison lists no more files than this. */
const comparedFiles = 300;

/** What stands between two commits; of a renamed file the old name, too. */
export async function changedFiles(
  { owner, repo, request }: RepositoryClient,
  baseSha: string,
  headSha: string,
): Promise<Change> {
  const answer = await request('GET /repos/{owner}/{repo}/compare/{basehead}', {
    owner,
    repo,
    basehead: `${baseSha}...${headSha}`,
    per_page: 1,
  });
  const { files } = Compared.parse(answer.data);
  const paths = files.flatMap(({ filename, previous_filename: before }) =>
    before === undefined || before === null ? [filename] : [filename, before],
  );
  return { paths, isComplete: files.length < comparedFiles };
}
