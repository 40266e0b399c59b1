import { commentBody, commentMarker } from '@proofmark/domain/comment';
import { type CommentMode, shouldCreateComment } from '@proofmark/domain/comment-policy';
import { z } from 'zod';
import type { Writing } from './deliver-check.ts';
import { CommentSubject, type DeliveryResult, type FeedbackRow } from './feedback-port.ts';
import type { RepositoryClient } from './github-app.ts';
import { listPages } from './list-pages.ts';
import type { RunReading } from './read-run-report.ts';

const Comment = z.object({ id: z.int(), body: z.string().nullish(), user: z.object({ login: z.string() }).nullable() });
type Comment = z.infer<typeof Comment>;

const modes: readonly string[] = ['regressions', 'changes', 'always', 'off'] satisfies CommentMode[];

interface Delivery {
  subject: CommentSubject;
  client: RepositoryClient;
  reading: RunReading;
  writing: Writing;
  botLogin: string;
}

/** Brings the one comment of a pull request up to date: found by author and marker, created once, then edited. */
export async function deliverComment(
  row: FeedbackRow,
  client: RepositoryClient,
  reading: RunReading,
  writing: Writing & { botLogin: string },
): Promise<DeliveryResult> {
  const subject = CommentSubject.parse(row.subject);
  const delivery: Delivery = { subject, client, reading, writing, botLogin: writing.botLogin };
  const nothing: DeliveryResult = { state: 'done', externalId: row.externalId };
  if (reading.isActive || !(await isCurrentHead(delivery))) return nothing;
  const found = await findComment(delivery);
  if (found !== null) return await editComment(delivery, found);
  if (!shouldCreateComment(reading.report, modeOf(reading))) return nothing;
  return await writing.alone(`comment:${client.owner}/${client.repo}:${subject.pullRequest}`, async () => {
    const created = await findComment(delivery);
    if (created !== null) return await editComment(delivery, created);
    const answer = await writing.write(() =>
      client.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
        ...addressOf(delivery),
        body: bodyOf(delivery),
      }),
    );
    return { state: 'done', externalId: String(Comment.parse(answer.data).id) };
  });
}

/** A result for an older head is kept in the database, never posted. */
async function isCurrentHead({ client, subject, reading }: Delivery): Promise<boolean> {
  const answer = await client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
    owner: client.owner,
    repo: client.repo,
    pull_number: subject.pullRequest,
  });
  const { head } = z.object({ head: z.object({ sha: z.string() }) }).parse(answer.data);
  return head.sha === reading.report.headSha;
}

/** The oldest comment that is ours; younger ones, made by accident, are deleted. */
async function findComment(delivery: Delivery): Promise<Comment | null> {
  const { client, subject, botLogin, writing } = delivery;
  const all = await listPages(async (page, perPage) => {
    const answer = await client.request('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
      ...addressOf(delivery),
      per_page: perPage,
      page,
    });
    return z.array(Comment).parse(answer.data);
  });
  const marker = commentMarker(subject.commentKey);
  const [oldest, ...younger] = all
    .filter((one) => one.user?.login === botLogin && firstLine(one.body ?? '') === marker)
    .toSorted((a, b) => a.id - b.id);
  for (const one of younger) {
    await writing.write(() =>
      client.request('DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}', {
        owner: client.owner,
        repo: client.repo,
        comment_id: one.id,
      }),
    );
  }
  return oldest ?? null;
}

/** Edits notify nobody; an equal body is not sent at all. */
async function editComment(delivery: Delivery, found: Comment): Promise<DeliveryResult> {
  const { client, writing } = delivery;
  const body = bodyOf(delivery);
  if (found.body !== body) {
    await writing.write(() =>
      client.request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', {
        owner: client.owner,
        repo: client.repo,
        comment_id: found.id,
        body,
      }),
    );
  }
  return { state: 'done', externalId: String(found.id) };
}

function bodyOf({ reading, subject }: Delivery): string {
  return commentBody(reading.report, subject.commentKey);
}

function addressOf({ client, subject }: Delivery): { owner: string; repo: string; issue_number: number } {
  return { owner: client.owner, repo: client.repo, issue_number: subject.pullRequest };
}

function modeOf({ commentMode }: RunReading): CommentMode {
  return isMode(commentMode) ? commentMode : 'changes';
}

function isMode(text: string): text is CommentMode {
  return modes.includes(text);
}

function firstLine(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? '';
}
