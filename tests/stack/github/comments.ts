import { z } from 'zod';
import { type Answer, created, forbidden, noContent, notFound, ok, paged, parseBody } from './answer.ts';
import { accountOf } from './callers.ts';
import { viewApp } from './check-run-view.ts';
import type { CommentRow } from './comment-row.ts';
import { openRepository, type Request, type Route, type World } from './world.ts';

const repository = '/repos/:owner/:repo';

/** Comments on issues and pull requests, with their real authors, limits and pages. */
export const commentRoutes: Route[] = [
  { method: 'POST', path: `${repository}/issues/:number/comments`, handle: createComment },
  { method: 'GET', path: `${repository}/issues/:number/comments`, handle: listComments },
  { method: 'GET', path: `${repository}/issues/comments/:id`, handle: showComment },
  { method: 'PATCH', path: `${repository}/issues/comments/:id`, handle: updateComment },
  { method: 'DELETE', path: `${repository}/issues/comments/:id`, handle: deleteComment },
  { method: 'PUT', path: `${repository}/issues/:number/lock`, handle: lock },
  { method: 'DELETE', path: `${repository}/issues/:number/lock`, handle: lock },
];

type Params = Record<string, string>;
const reading = () => ({ permissions: ['issues', 'pull_requests'], need: 'read' as const });
const writing = () => ({ permissions: ['issues', 'pull_requests'], need: 'write' as const });

const isShort = (body: string) => body.length <= 65_536 && Buffer.byteLength(body) <= 262_144;
const Body = z.object({ body: z.string().min(1).refine(isShort, 'body is too long (maximum is 65536 characters)') });

async function createComment(world: World, request: Request, params: Params): Promise<Answer> {
  const opened = await openRepository(world, request, params, writing());
  if ('refusal' in opened) return opened.refusal;
  const { full_name, id } = opened.repository;
  const issue = await findIssue(world, full_name, params.number ?? '');
  if (issue === undefined) return notFound;
  if (world.lockedConversations.has(`${full_name}#${issue}`))
    return forbidden('Unable to create comment because issue is locked.');
  const parsed = parseBody('IssueComment', Body, request.body);
  if ('refusal' in parsed) return parsed.refusal;

  const { caller } = request;
  const now = new Date().toISOString();
  const comment: CommentRow = {
    id: (world.comments.at(-1)?.id ?? 5_000) + 1,
    repositoryId: id,
    repository: full_name,
    issue,
    body: parsed.value.body,
    user: accountOf(caller),
    app: 'app' in caller ? caller.app : undefined,
    created_at: now,
    updated_at: now,
    minimized: undefined,
  };
  world.comments.push(comment);
  return created(view(world, comment));
}

async function listComments(world: World, request: Request, params: Params): Promise<Answer> {
  const opened = await openRepository(world, request, params, reading());
  if ('refusal' in opened) return opened.refusal;
  const since = request.url.searchParams.get('since');
  const found = world.comments.filter(
    ({ repositoryId, issue, updated_at }) =>
      repositoryId === opened.repository.id &&
      issue === Number(params.number) &&
      (since === null || updated_at >= since),
  );
  const { slice, headers } = paged(found, request.url);
  return { status: 200, body: slice.map((comment) => view(world, comment)), headers };
}

async function showComment(world: World, request: Request, params: Params): Promise<Answer> {
  const found = await openComment(world, request, params, reading());
  return 'refusal' in found ? found.refusal : ok(view(world, found.comment));
}

async function updateComment(world: World, request: Request, params: Params): Promise<Answer> {
  const found = await openComment(world, request, params, writing());
  if ('refusal' in found) return found.refusal;
  const parsed = parseBody('IssueComment', Body, request.body);
  if ('refusal' in parsed) return parsed.refusal;
  found.comment.body = parsed.value.body;
  found.comment.updated_at = new Date().toISOString();
  return ok(view(world, found.comment));
}

async function deleteComment(world: World, request: Request, params: Params): Promise<Answer> {
  const found = await openComment(world, request, params, writing());
  if ('refusal' in found) return found.refusal;
  world.comments.splice(world.comments.indexOf(found.comment), 1);
  return noContent;
}

async function openComment(
  world: World,
  request: Request,
  params: Params,
  access: ReturnType<typeof reading> | ReturnType<typeof writing>,
): Promise<{ comment: CommentRow } | { refusal: Answer }> {
  const opened = await openRepository(world, request, params, access);
  if ('refusal' in opened) return opened;
  const { id } = opened.repository;
  const comment = world.comments.find((each) => each.repositoryId === id && each.id === Number(params.id));
  return comment === undefined ? { refusal: notFound } : { comment };
}

/** The number of an issue or a pull request that exists; the emulator keeps them apart. */
async function findIssue({ emulator }: World, fullName: string, number: string): Promise<number | undefined> {
  for (const kind of ['pulls', 'issues']) {
    const { status } = await emulator.send({ method: 'GET', path: `/repos/${fullName}/${kind}/${number}` });
    if (status === 200) return Number(number);
  }
  return undefined;
}

async function lock(world: World, request: Request, params: Params): Promise<Answer> {
  const opened = await openRepository(world, request, params, writing());
  if ('refusal' in opened) return opened.refusal;
  const conversation = `${opened.repository.full_name}#${params.number}`;
  if (request.method === 'PUT') world.lockedConversations.add(conversation);
  else world.lockedConversations.delete(conversation);
  return noContent;
}

function view(world: World, { id, repository: fullName, issue, body, user, app, created_at, updated_at }: CommentRow) {
  const api = `${world.origin}${world.apiPrefix}/repos/${fullName}/issues`;
  return {
    id,
    node_id: `IC_${id}`,
    url: `${api}/comments/${id}`,
    html_url: `${world.origin}/${fullName}/pull/${issue}#issuecomment-${id}`,
    issue_url: `${api}/${issue}`,
    body,
    user: {
      ...user,
      node_id: `U_${user.id}`,
      html_url: `${world.origin}/${user.login.replace(/^(.*)\[bot\]$/, 'apps/$1')}`,
    },
    created_at,
    updated_at,
    author_association: user.type === 'Bot' ? 'NONE' : 'MEMBER',
    performed_via_github_app: app === undefined ? null : viewApp(world, app),
  };
}
