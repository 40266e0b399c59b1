import { z } from 'zod';
import type { GithubServer } from '../github-server.ts';
import { allPages } from './as-user.ts';

const CheckRun = z.looseObject({
  id: z.number(),
  name: z.string(),
  head_sha: z.string(),
  external_id: z.string(),
  status: z.string(),
  conclusion: z.string().nullable(),
  details_url: z.string().nullable(),
  output: z.looseObject({
    title: z.string().nullable(),
    summary: z.string().nullable(),
    text: z.string().nullable(),
    annotations_count: z.number(),
  }),
  app: z.looseObject({ id: z.number(), slug: z.string() }),
});
export type CheckRun = z.infer<typeof CheckRun>;

const Annotation = z.looseObject({
  path: z.string(),
  start_line: z.number(),
  end_line: z.number(),
  annotation_level: z.string(),
  title: z.string().nullable(),
  message: z.string(),
});
export type Annotation = z.infer<typeof Annotation>;

const Comment = z.looseObject({
  id: z.number(),
  body: z.string(),
  user: z.looseObject({ login: z.string() }),
  html_url: z.string(),
});
export type Comment = z.infer<typeof Comment>;

/** Every check run of a commit, as the server has it now, oldest first. */
export async function checkRuns(github: GithubServer, repository: string, sha: string): Promise<CheckRun[]> {
  const shape = z.looseObject({ check_runs: z.array(CheckRun) });
  const path = `/repos/${repository}/commits/${sha}/check-runs?filter=all`;
  const found = await allPages(github, path, (page) => shape.parse(page).check_runs);
  return found.toReversed();
}

/** Every annotation of a check run. */
export async function annotations(github: GithubServer, repository: string, checkRunId: number): Promise<Annotation[]> {
  const path = `/repos/${repository}/check-runs/${checkRunId}/annotations`;
  return allPages(github, path, (page) => z.array(Annotation).parse(page));
}

/** Every comment of a pull request, oldest first. */
export async function comments(github: GithubServer, repository: string, number: number): Promise<Comment[]> {
  return allPages(github, `/repos/${repository}/issues/${number}/comments`, (page) => z.array(Comment).parse(page));
}

const Issue = z.looseObject({ number: z.int(), title: z.string(), state: z.string(), body: z.string().nullable() });

/** Every issue of a repository, open or not. */
export async function issues(github: GithubServer, repository: string): Promise<z.infer<typeof Issue>[]> {
  return allPages(github, `/repos/${repository}/issues?state=all`, (page) => z.array(Issue).parse(page));
}
