import { checkWrites } from '@proofmark/domain/check-update';
import {
  actionsBot,
  commentStep,
  type FoundComment,
  ownComments,
  type WantedComment,
} from '@proofmark/domain/comment-update';
import { isGreen, type WantedCheck } from '@proofmark/domain/wanted-checks';
import {
  type Ask,
  changeCheck,
  createCheck,
  createComment,
  deleteComment,
  editComment,
  hideComment,
  listChecks,
  listComments,
  readHead,
  type ShownCheck,
} from '@proofmark/process/github';
import { z } from 'zod';
import type { Forge } from '../forge/open-forge.ts';

/** The commit that checks are about, and the page that they lead to. */
export interface CheckTarget {
  headSha: string;
  detailsUrl: string;
}

/**
 * Brings one check run to the state that is wanted: reads first, creates it once, sends only what differs. A job writes
 * alone and once; what the database owes is delivered by any replica, so that needs locks and a second look as well.
 */
export async function showCheck(
  forge: Forge,
  { headSha, detailsUrl }: CheckTarget,
  wanted: WantedCheck,
  lookAgain: () => Promise<boolean>,
): Promise<void> {
  const { name, externalId, onlyAfterRed, output } = wanted;
  const find = () => findCheck(forge, headSha, wanted);
  const first = await find();
  if (first.found === null && onlyAfterRed && (first.last === null || isGreen(first.last.conclusion))) return;
  const { found } = first.found === null && (await lookAgain()) ? await find() : first;
  const shown = found ?? (await create());
  for (const change of checkWrites(shown, output)) {
    await changeCheck(forge.write, shown.id, { details_url: detailsUrl, ...change });
  }

  function create(): Promise<ShownCheck> {
    const { title, summary } = output;
    const fields = { name, head_sha: headSha, external_id: externalId, details_url: detailsUrl, status: 'in_progress' };
    return createCheck(forge.write, { ...fields, output: { title, summary } });
  }
}

/** By name and id, whoever made it: a job does not know which App its token belongs to; and the newest of the name. */
async function findCheck(
  forge: Forge,
  headSha: string,
  { name, externalId }: WantedCheck,
): Promise<{ found: ShownCheck | null; last: ShownCheck | null }> {
  const all = await listChecks(forge.read, { headSha, name });
  return { found: all.find((one) => one.externalId === externalId) ?? null, last: all[0] ?? null };
}

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
