import {
  type CommentStep,
  commentStep,
  commentsOfJobs,
  type FoundComment,
  type NotEvaluated,
  notEvaluatedStep,
  ownComments,
  wantedComment,
} from '@proofmark/domain/comment-update';
import { hideComment, isHiddenComment } from '@proofmark/domain/hide-comment';
import { listPages } from '@proofmark/domain/list-pages';
import { z } from 'zod';
import type { Writing } from './deliver-check.ts';
import { CommentSubject, type DeliveryResult, type FeedbackRow } from './feedback-port.ts';
import type { RepositoryClient } from './github-app.ts';
import type { CommentReading } from './read-comment-report.ts';

const Comment = z.object({
  id: z.int(),
  node_id: z.string(),
  body: z.string().nullish(),
  user: z.object({ login: z.string() }).nullable(),
});

interface Delivery {
  subject: CommentSubject;
  client: RepositoryClient;
  /** What the database has about a commit of the pull request by now; null: no job has a result for it yet. */
  readAt: (headSha: string) => Promise<CommentReading | NotEvaluated | null>;
  writing: Writing;
  botLogin: string;
}

/**
 * Brings the one comment of a pull request up to date: found by author and marker, created once, then edited. It is about
 * the head that the pull request has now; results for an older one are kept in the database, never posted.
 */
export async function deliverComment(
  row: FeedbackRow,
  client: RepositoryClient,
  { readAt, botLogin, ...writing }: Writing & Pick<Delivery, 'readAt' | 'botLogin'>,
): Promise<DeliveryResult> {
  const subject = CommentSubject.parse(row.subject);
  const delivery: Delivery = { subject, client, readAt, writing, botLogin };
  const all = await listComments(delivery);
  const { found, step } = await nextStep(delivery, all);
  const nothing: DeliveryResult = { state: 'done', externalId: found === null ? row.externalId : String(found.id) };
  if (step === null) return nothing;
  await tidy(delivery, all);
  if (step.do === 'nothing') return nothing;
  const write = () => writing.write(() => writeNext(delivery));
  const id =
    step.do === 'create'
      ? await writing.alone(`comment:${client.owner}/${client.repo}:${subject.pullRequest}`, write)
      : await write();
  return id === null ? nothing : { state: 'done', externalId: String(id) };
}

/** Looks once more when the turn has come, for a lot may have happened while it was waited for; what it wrote to, or null. */
async function writeNext(delivery: Delivery): Promise<number | null> {
  const { found, step } = await nextStep(delivery, await listComments(delivery));
  const { client } = delivery;
  switch (step?.do) {
    case 'create': {
      const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
      const answer = await client.request(route, { ...addressOf(delivery), body: step.body });
      return Comment.parse(answer.data).id;
    }
    case 'edit':
      await client.request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', {
        owner: client.owner,
        repo: client.repo,
        comment_id: step.id,
        body: step.body,
      });
      return step.id;
    case 'hide':
      await hideComment(client.graphql, step.nodeId);
      return found?.id ?? null;
    case 'nothing':
    case undefined:
      return found?.id ?? null;
  }
}

interface NextStep {
  found: FoundComment | null;
  /** Null: nobody has anything to say about the head yet, so whatever stands there stays. */
  step: CommentStep | null;
}

/** The write that is wanted now, by what stands on GitHub and what the database has about the head of this moment. */
async function nextStep(delivery: Delivery, all: readonly FoundComment[]): Promise<NextStep> {
  const { subject, botLogin } = delivery;
  const visible = await withoutHidden(delivery, all);
  const { oldest: found } = ownComments(visible, { key: subject.commentKey, author: botLogin });
  const reading = await delivery.readAt(await readHead(delivery));
  if (reading === null) return { found, step: null };
  if ('why' in reading) return { found, step: notEvaluatedStep(found, reading) };
  const wanted = wantedComment(reading.report, subject.commentKey, reading.mode);
  return { found, step: wanted && commentStep(found, wanted) };
}

/** Of ours only what people can see: into one that somebody has folded away nothing is written any more. */
async function withoutHidden(
  { client, subject, botLogin }: Delivery,
  all: readonly FoundComment[],
): Promise<FoundComment[]> {
  const { oldest, younger } = ownComments(all, { key: subject.commentKey, author: botLogin });
  const hidden = new Set<number>();
  for (const one of oldest === null ? [] : [oldest, ...younger]) {
    if (await isHiddenComment(client.graphql, one.nodeId)) hidden.add(one.id);
  }
  return all.filter(({ id }) => !hidden.has(id));
}

async function readHead({ client, subject }: Delivery): Promise<string> {
  const answer = await client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
    owner: client.owner,
    repo: client.repo,
    pull_number: subject.pullRequest,
  });
  return z.object({ head: z.object({ sha: z.string() }) }).parse(answer.data).head.sha;
}

async function listComments(delivery: Delivery): Promise<FoundComment[]> {
  const all = await listPages(async (page, perPage) => {
    const answer = await delivery.client.request('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
      ...addressOf(delivery),
      per_page: perPage,
      page,
    });
    return z.array(Comment).parse(answer.data);
  });
  return all.map(({ id, node_id: nodeId, body, user }) => {
    return { id, nodeId, body: body ?? '', author: user?.login ?? null };
  });
}

/** The oldest comment that is ours stays; younger ones, made by accident, are deleted. */
async function tidy(delivery: Delivery, all: readonly FoundComment[]): Promise<void> {
  const { client, subject, botLogin, writing } = delivery;
  // The App was installed later: what jobs had written until then is outdated.
  for (const { nodeId } of commentsOfJobs(all, subject.commentKey)) {
    await writing.write(() => hideComment(client.graphql, nodeId));
  }
  const visible = await withoutHidden(delivery, all);
  for (const one of ownComments(visible, { key: subject.commentKey, author: botLogin }).younger) {
    await writing.write(() =>
      client.request('DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}', {
        owner: client.owner,
        repo: client.repo,
        comment_id: one.id,
      }),
    );
  }
}

function addressOf({ client, subject }: Delivery): { owner: string; repo: string; issue_number: number } {
  return { owner: client.owner, repo: client.repo, issue_number: subject.pullRequest };
}
