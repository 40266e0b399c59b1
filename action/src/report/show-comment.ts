import {
  actionsBot,
  commentStep,
  type FoundComment,
  ownComments,
  type WantedComment,
} from '@proofmark/domain/comment-update';
import {
  type Ask,
  createComment,
  deleteComment,
  editComment,
  hideComment,
  listComments,
  readHead,
} from '@proofmark/process/github';
import { z } from 'zod';
import type { Forge } from '../forge/open-forge.ts';

/** The pull request, and the commit that the numbers belong to. */
export interface CommentTarget {
  pullRequest: number;
  headSha: string;
}

const Viewer = z.looseObject({ viewer: z.looseObject({ login: z.string() }) });

/** Brings the one comment of a pull request up to date. A result for an older head is never posted. */
export async function showComment(
  forge: Forge,
  target: CommentTarget,
  wanted: WantedComment,
  lookAgain: () => Promise<boolean>,
): Promise<void> {
  const author = await loginOf(forge);
  const find = () => findComment(forge, target, { key: wanted.key, author });
  const found = (await find()) ?? ((await lookAgain()) ? await find() : null);
  const step = commentStep(found, wanted);
  const isCurrent = async () => (await readHead(forge.read, target.pullRequest)).sha === target.headSha;
  const write: Ask = (route, parameters = {}) => forge.write(route, parameters, isCurrent);
  if (step.do === 'create') await createComment(write, target.pullRequest, step.body);
  if (step.do === 'hide') await hideComment(forge.graphql, step.nodeId);
  if (step.do === 'edit') await editComment(write, step.id, step.body);
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
  const { oldest, younger } = ownComments(await listComments(forge.read, pullRequest), own);
  for (const { id } of younger) await deleteComment(forge.write, id);
  return oldest;
}
