import { type CommentMode, commentModes } from '@proofmark/domain/comment-policy';
import {
  commentStep,
  commentsOfJobs,
  type FoundComment,
  ownComments,
  type WantedComment,
  wantedComment,
} from '@proofmark/domain/comment-update';
import { hideComment } from '@proofmark/domain/hide-comment';
import { listPages } from '@proofmark/domain/list-pages';
import { z } from 'zod';
import type { Writing } from './deliver-check.ts';
import { CommentSubject, type DeliveryResult, type FeedbackRow } from './feedback-port.ts';
import type { RepositoryClient } from './github-app.ts';
import type { RunReading } from './read-run-report.ts';

const Comment = z.object({
  id: z.int(),
  node_id: z.string(),
  body: z.string().nullish(),
  user: z.object({ login: z.string() }).nullable(),
});

interface Delivery {
  subject: CommentSubject;
  client: RepositoryClient;
  wanted: WantedComment;
  /** The commit that the numbers belong to. */
  headSha: string;
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
  const nothing: DeliveryResult = { state: 'done', externalId: row.externalId };
  const wanted = reading.isActive ? null : wantedComment(reading.report, subject.commentKey, modeOf(reading));
  if (wanted === null) return nothing;
  const { headSha } = reading.report;
  const delivery: Delivery = { subject, client, wanted, headSha, writing, botLogin: writing.botLogin };
  const found = await findComment(delivery);
  if (found !== null) return await editComment(delivery, found);
  if (!wanted.createsComment) return nothing;
  return await writing.alone(`comment:${client.owner}/${client.repo}:${subject.pullRequest}`, async () => {
    const created = await findComment(delivery);
    if (created !== null) return await editComment(delivery, created);
    const answer = await writeForHead(delivery, () =>
      client.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
        ...addressOf(delivery),
        body: wanted.body,
      }),
    );
    return answer === null ? nothing : { state: 'done', externalId: String(Comment.parse(answer.data).id) };
  });
}

/** Writes when it is our turn, unless the head has moved by then: a result for an older head is kept in the database, never posted. */
function writeForHead<Answer>(delivery: Delivery, send: () => Promise<Answer>): Promise<Answer | null> {
  return delivery.writing.write(async () => ((await isCurrentHead(delivery)) ? await send() : null));
}

async function isCurrentHead({ client, subject, headSha }: Delivery): Promise<boolean> {
  const answer = await client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
    owner: client.owner,
    repo: client.repo,
    pull_number: subject.pullRequest,
  });
  const { head } = z.object({ head: z.object({ sha: z.string() }) }).parse(answer.data);
  return head.sha === headSha;
}

/** The oldest comment that is ours; younger ones, made by accident, are deleted. */
async function findComment(delivery: Delivery): Promise<FoundComment | null> {
  const { client, subject, botLogin, writing } = delivery;
  const all = await listPages(async (page, perPage) => {
    const answer = await client.request('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
      ...addressOf(delivery),
      per_page: perPage,
      page,
    });
    return z.array(Comment).parse(answer.data);
  });
  const comments = all.map(({ id, node_id: nodeId, body, user }) => {
    return { id, nodeId, body: body ?? '', author: user?.login ?? null };
  });
  const { oldest, younger } = ownComments(comments, { key: subject.commentKey, author: botLogin });
  // The App was installed later: what jobs had written until then is outdated.
  for (const { nodeId } of commentsOfJobs(comments, subject.commentKey)) {
    await writing.write(() => hideComment(client.graphql, nodeId));
  }
  for (const one of younger) {
    await writing.write(() =>
      client.request('DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}', {
        owner: client.owner,
        repo: client.repo,
        comment_id: one.id,
      }),
    );
  }
  return oldest;
}

/** Edits notify nobody; an equal body is not sent at all. */
async function editComment(delivery: Delivery, found: FoundComment): Promise<DeliveryResult> {
  const { client, wanted, writing } = delivery;
  const step = commentStep(found, wanted);
  if (step.do === 'edit') {
    await writeForHead(delivery, () =>
      client.request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', {
        owner: client.owner,
        repo: client.repo,
        comment_id: step.id,
        body: step.body,
      }),
    );
  }
  if (step.do === 'hide') await writing.write(() => hideComment(client.graphql, step.nodeId));
  return { state: 'done', externalId: String(found.id) };
}

function addressOf({ client, subject }: Delivery): { owner: string; repo: string; issue_number: number } {
  return { owner: client.owner, repo: client.repo, issue_number: subject.pullRequest };
}

function modeOf({ commentMode }: RunReading): CommentMode {
  return commentModes.find((mode) => mode === commentMode) ?? 'changes';
}
