import {
  actionsBot,
  commentStep,
  type FoundComment,
  ownComments,
  type WantedComment,
} from '@proofmark/domain/comment-update';
import { hideComment } from '@proofmark/domain/hide-comment';
import { listPages } from '@proofmark/domain/list-pages';
import { z } from 'zod';
import type { Forge } from '../forge/open-forge.ts';

const Comment = z.looseObject({
  id: z.int(),
  node_id: z.string(),
  body: z.string().nullish(),
  user: z.looseObject({ login: z.string() }).nullable(),
});

/** The pull request, and the commit that the numbers belong to. */
export interface CommentTarget {
  pullRequest: number;
  headSha: string;
}

const Viewer = z.looseObject({ viewer: z.looseObject({ login: z.string() }) });

/** Brings the one comment of a pull request up to date. A result for an older head is never posted. */
export async function deliverComment(
  forge: Forge,
  target: CommentTarget,
  wanted: WantedComment,
  lookAgain: () => Promise<boolean>,
): Promise<void> {
  const author = await loginOf(forge);
  const find = () => findComment(forge, target, { key: wanted.key, author });
  const found = (await find()) ?? ((await lookAgain()) ? await find() : null);
  const step = commentStep(found, wanted);
  const isCurrent = () => isCurrentHead(forge, target);
  const issue = { issue_number: target.pullRequest };
  if (step.do === 'create') {
    const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
    await forge.write(route, { ...issue, body: step.body }, isCurrent);
  }
  if (step.do === 'hide') await hideComment(forge.graphql, step.nodeId);
  if (step.do === 'edit') {
    const route = 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}';
    await forge.write(route, { comment_id: step.id, body: step.body }, isCurrent);
  }
}

/** In whose name the token writes. */
async function loginOf(forge: Forge): Promise<string> {
  try {
    return Viewer.parse(await forge.graphql('query { viewer { login } }', {})).viewer.login;
  } catch {
    // Some tokens may not ask; those of jobs write in this name.
    return actionsBot;
  }
}

/** The oldest comment that is ours; younger ones, made by accident, are deleted. */
async function findComment(
  forge: Forge,
  { pullRequest }: CommentTarget,
  own: { key: string; author: string },
): Promise<FoundComment | null> {
  const all = await listPages(async (page, perPage) => {
    const parameters = { issue_number: pullRequest, per_page: perPage, page };
    const answer = await forge.read('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', parameters);
    return z.array(Comment).parse(answer);
  });
  const comments = all.map(({ id, node_id: nodeId, body, user }) => {
    return { id, nodeId, body: body ?? '', author: user?.login ?? null };
  });
  const { oldest, younger } = ownComments(comments, own);
  for (const { id } of younger) {
    await forge.write('DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}', { comment_id: id });
  }
  return oldest;
}

async function isCurrentHead(forge: Forge, { pullRequest, headSha }: CommentTarget): Promise<boolean> {
  const answer = await forge.read('GET /repos/{owner}/{repo}/pulls/{pull_number}', { pull_number: pullRequest });
  return z.looseObject({ head: z.looseObject({ sha: z.string() }) }).parse(answer).head.sha === headSha;
}
