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
import {
  createComment,
  deleteComment,
  editComment,
  hideComment,
  isHiddenComment,
  listComments,
  readHead,
} from '@proofmark/process/github';
import type { Writing } from './deliver-check.ts';
import { CommentSubject, type DeliveryResult, type FeedbackRow } from './feedback-port.ts';
import type { RepositoryClient } from './github-app.ts';
import type { CommentReading } from './read-comment-report.ts';

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
  const all = await listComments(client.ask, subject.pullRequest);
  const { found, step } = await nextStep(delivery, all);
  const nothing: DeliveryResult = { state: 'done', externalId: found === null ? row.externalId : String(found.id) };
  if (step === null) return nothing;
  await tidy(delivery, all);
  if (step.do === 'nothing') return nothing;
  const write = () => writing.write(() => writeNext(delivery));
  const written =
    step.do === 'create'
      ? await writing.alone(`comment:${client.owner}/${client.repo}:${subject.pullRequest}`, write)
      : await write();
  return written === null ? nothing : await keepTrue(delivery, written);
}

/** Looks once more when the turn has come, for a lot may have happened while it was waited for; what stands there then, or null. */
async function writeNext(delivery: Delivery): Promise<FoundComment | null> {
  const { found, step } = await nextStep(
    delivery,
    await listComments(delivery.client.ask, delivery.subject.pullRequest),
  );
  return step === null ? found : await carryOut(delivery, found, step);
}

/** A pull request that moves on while its comment is written has to wait for its next turn. */
const mostCorrections = 3;

/**
 * Looks at the head and at the database after the write: whoever was paused before it has just written what held then,
 * over what others have written since.
 */
async function keepTrue(delivery: Delivery, written: FoundComment): Promise<DeliveryResult> {
  let known: FoundComment | null = written;
  for (let corrected = 0; corrected < mostCorrections && known !== null; corrected += 1) {
    const current: FoundComment = known;
    const externalId = String(current.id);
    const step = await stepFor(delivery, current);
    if (step?.do !== 'edit') return { state: 'done', externalId };
    known = await delivery.writing.write(() => carryOut(delivery, current, step));
  }
  return { state: 'retry', reason: 'the pull request moves on while its comment is written', afterMs: 1_000 };
}

async function carryOut(
  delivery: Delivery,
  found: FoundComment | null,
  step: CommentStep,
): Promise<FoundComment | null> {
  const { client } = delivery;
  switch (step.do) {
    case 'create':
      return await createComment(client.ask, delivery.subject.pullRequest, step.body);
    case 'edit':
      await editComment(client.ask, step.id, step.body);
      return found === null ? null : { ...found, body: step.body };
    case 'hide':
      await hideComment(client.graphql, step.nodeId);
      return found;
    case 'nothing':
      return found;
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
  return { found, step: await stepFor(delivery, found) };
}

/** Null: nobody has anything to say about the head of this moment. */
async function stepFor(delivery: Delivery, found: FoundComment | null): Promise<CommentStep | null> {
  const { sha } = await readHead(delivery.client.ask, delivery.subject.pullRequest);
  const reading = await delivery.readAt(sha);
  if (reading === null) return null;
  if ('why' in reading) return notEvaluatedStep(found, reading);
  const wanted = wantedComment(reading.report, delivery.subject.commentKey, reading.mode);
  return wanted && commentStep(found, wanted);
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

/** The oldest comment that is ours stays; younger ones, made by accident, are deleted. */
async function tidy(delivery: Delivery, all: readonly FoundComment[]): Promise<void> {
  const { client, subject, botLogin, writing } = delivery;
  // The App was installed later: what jobs had written until then is outdated.
  for (const { nodeId } of commentsOfJobs(all, subject.commentKey)) {
    await writing.write(() => hideComment(client.graphql, nodeId));
  }
  const visible = await withoutHidden(delivery, all);
  for (const one of ownComments(visible, { key: subject.commentKey, author: botLogin }).younger) {
    await writing.write(() => deleteComment(client.ask, one.id));
  }
}
