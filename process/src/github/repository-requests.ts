import type { Change } from '@proofmark/domain/affected-suites';
import type { FoundCheck } from '@proofmark/domain/check-update';
import type { FoundComment } from '@proofmark/domain/comment-update';
import { z } from 'zod';

/** Sends one request about a repository, whose owner and name it adds, and gives back the body of the answer. */
export type Ask = (route: string, parameters?: Readonly<Record<string, unknown>>) => Promise<unknown>;

const CheckRun = z.object({
  id: z.int(),
  external_id: z.string().nullish(),
  status: z.string(),
  conclusion: z.string().nullable(),
  output: z.object({
    title: z.string().nullable(),
    summary: z.string().nullable(),
    text: z.string().nullish(),
    annotations_count: z.int(),
  }),
});

/** A check run as it stands on a commit. */
export interface ShownCheck extends FoundCheck {
  id: number;
  externalId: string | null;
}

const shownCheck = ({ id, external_id, status, conclusion, output }: z.infer<typeof CheckRun>): ShownCheck => ({
  id,
  externalId: external_id ?? null,
  isCompleted: status === 'completed',
  conclusion,
  title: output.title,
  summary: output.summary,
  text: output.text ?? null,
  annotationsCount: output.annotations_count,
});

interface OnCommit {
  headSha: string;
  name: string;
  /** Absent: whoever made it. */
  appId?: number;
}

/** All check runs of this name on a commit, newest first. */
export async function listChecks(read: Ask, { headSha, name, appId }: OnCommit): Promise<ShownCheck[]> {
  const all = await listPages(async (paging) => {
    const of = { ref: headSha, check_name: name, filter: 'all', ...(appId === undefined ? {} : { app_id: appId }) };
    const answer = await read('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', { ...of, ...paging });
    return z.object({ check_runs: z.array(CheckRun) }).parse(answer).check_runs;
  });
  return all.map(shownCheck).toSorted((a, b) => b.id - a.id);
}

export async function readCheck(read: Ask, id: number): Promise<ShownCheck> {
  const answer = await read('GET /repos/{owner}/{repo}/check-runs/{check_run_id}', { check_run_id: id });
  return shownCheck(CheckRun.parse(answer));
}

/** With fields in GitHub's words. */
export async function createCheck(write: Ask, fields: Readonly<Record<string, unknown>>): Promise<ShownCheck> {
  return shownCheck(CheckRun.parse(await write('POST /repos/{owner}/{repo}/check-runs', fields)));
}

/** With fields in GitHub's words; as it stands then, null where `write` did not send it. */
export async function changeCheck(
  write: Ask,
  id: number,
  fields: Readonly<Record<string, unknown>>,
): Promise<ShownCheck | null> {
  const parameters = { check_run_id: id, ...fields };
  const answer = await write('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', parameters);
  return answer === null ? null : shownCheck(CheckRun.parse(answer));
}

const Comment = z.object({
  id: z.int(),
  node_id: z.string(),
  body: z.string().nullish(),
  user: z.object({ login: z.string() }).nullable(),
});

/** Every comment under a pull request or an issue, whoever wrote it. */
export async function listComments(read: Ask, pullRequest: number): Promise<FoundComment[]> {
  const all = await listPages(async (paging) => {
    const parameters = { issue_number: pullRequest, ...paging };
    return z.array(Comment).parse(await read('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', parameters));
  });
  return all.map(foundComment);
}

const foundComment = ({ id, node_id: nodeId, body, user }: z.infer<typeof Comment>): FoundComment => {
  return { id, nodeId, body: body ?? '', author: user?.login ?? null };
};

/** It, with its text as it was sent: the forge may trim that. Null where `write` did not send it. */
export async function createComment(write: Ask, pullRequest: number, body: string): Promise<FoundComment | null> {
  const parameters = { issue_number: pullRequest, body };
  const answer = await write('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', parameters);
  return answer === null ? null : { ...foundComment(Comment.parse(answer)), body };
}

export async function editComment(write: Ask, id: number, body: string): Promise<void> {
  await write('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', { comment_id: id, body });
}

export async function deleteComment(write: Ask, id: number): Promise<void> {
  await write('DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}', { comment_id: id });
}

const Issue = z.object({
  number: z.int(),
  body: z.string().nullish(),
  user: z.object({ login: z.string() }).nullable(),
});

/** An issue as it stands. */
export interface FoundIssue {
  number: number;
  body: string;
  author: string | null;
}

const foundIssue = ({ number, body, user }: z.infer<typeof Issue>): FoundIssue => ({
  ...{ number, body: body ?? '', author: user?.login ?? null },
});

/** The newest issues that somebody opened, open or not. */
export async function listIssues(read: Ask, creator: string): Promise<FoundIssue[]> {
  const parameters = { creator, state: 'all', sort: 'created', direction: 'desc', per_page: pageSize };
  return z
    .array(Issue)
    .parse(await read('GET /repos/{owner}/{repo}/issues', parameters))
    .map(foundIssue);
}

export async function createIssue(write: Ask, fields: { title: string; body: string }): Promise<FoundIssue> {
  return foundIssue(Issue.parse(await write('POST /repos/{owner}/{repo}/issues', fields)));
}

export async function closeIssue(write: Ask, issue: number): Promise<void> {
  await write('PATCH /repos/{owner}/{repo}/issues/{issue_number}', {
    ...{ issue_number: issue, state: 'closed', state_reason: 'completed' },
  });
}

/** Sends a GraphQL operation and gives back its data. */
export type AskGraphql = (query: string, variables: Record<string, unknown>) => Promise<unknown>;

const isHiddenQuery = 'query ($id: ID!) { node(id: $id) { ... on IssueComment { isMinimized } } }';
const hideMutation =
  'mutation ($id: ID!) { minimizeComment(input: { subjectId: $id, classifier: OUTDATED }) { clientMutationId } }';

const Node = z.object({ node: z.object({ isMinimized: z.boolean().nullish() }).nullish() });

/** Folds a comment away as outdated; one that is folded already costs no write. */
export async function hideComment(ask: AskGraphql, nodeId: string): Promise<void> {
  if (!(await isHiddenComment(ask, nodeId))) await ask(hideMutation, { id: nodeId });
}

/** Whether somebody has folded a comment away: nobody would see what is written into it. */
export async function isHiddenComment(ask: AskGraphql, nodeId: string): Promise<boolean> {
  const { data } = Node.safeParse(await ask(isHiddenQuery, { id: nodeId }));
  return data?.node?.isMinimized === true;
}

const PullRequest = z.object({ head: z.object({ sha: z.string() }), changed_files: z.int().nullish() });

/** The head that a pull request has now, and how many files it changes. */
export async function readHead(read: Ask, pullRequest: number): Promise<{ sha: string; changedFiles: number | null }> {
  const answer = await read('GET /repos/{owner}/{repo}/pulls/{pull_number}', { pull_number: pullRequest });
  const { head, changed_files } = PullRequest.parse(answer);
  return { sha: head.sha, changedFiles: changed_files ?? null };
}

const ChangedFile = z.object({ filename: z.string(), previous_filename: z.string().nullish() });

const Compared = z.object({
  merge_base_commit: z.object({ sha: z.string() }),
  files: z.array(ChangedFile).default([]),
});

/** A comparison lists no more files than this. */
const comparedFiles = 300;

/** What `head` changes since it left `base`, with one request, and where it left it. Of a renamed file both names count. */
export async function compareCommits(
  read: Ask,
  base: string,
  head: string,
): Promise<{ mergeBaseSha: string; change: Change }> {
  // Only the commits are paged: the first page has all files that there are.
  const parameters = { basehead: `${base}...${head}`, per_page: 1 };
  const { merge_base_commit, files } = Compared.parse(
    await read('GET /repos/{owner}/{repo}/compare/{basehead}', parameters),
  );
  const change = { paths: files.flatMap(pathsOf), isComplete: files.length < comparedFiles };
  return { mergeBaseSha: merge_base_commit.sha, change };
}

/** Every file of a pull request. Of a renamed one both names count, which is one file. */
export async function listChangedFiles(read: Ask, pullRequest: number): Promise<{ files: number; paths: string[] }> {
  const files = await listPages(async (paging) => {
    const parameters = { pull_number: pullRequest, ...paging };
    const answer = await read('GET /repos/{owner}/{repo}/pulls/{pull_number}/files', parameters);
    return z.array(ChangedFile).parse(answer);
  });
  return { files: files.length, paths: files.flatMap(pathsOf) };
}

const pathsOf = ({ filename, previous_filename: before }: z.infer<typeof ChangedFile>): string[] =>
  before === undefined || before === null ? [filename] : [filename, before];

const pageSize = 100;
const mostPages = 100;

/** Every item of a paged list, page after page until one is not full. */
async function listPages<Item>(readPage: (paging: { page: number; per_page: number }) => Promise<Item[]>) {
  const items: Item[] = [];
  for (let page = 1; page <= mostPages; page += 1) {
    const found = await readPage({ page, per_page: pageSize });
    items.push(...found);
    if (found.length < pageSize) break;
  }
  return items;
}
