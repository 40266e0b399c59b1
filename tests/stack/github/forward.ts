import { z } from 'zod';
import { type Answer, forbidden, notFound, unauthorized } from './answer.ts';
import { mayUse, tokenOf } from './callers.ts';
import { proofmarkApp } from './emulator.ts';
import { Repository } from './shapes.ts';
import type { Request, World } from './world.ts';

/** Lets the emulator answer, after the rules that it does not know. */
export async function forward(world: World, request: Request): Promise<Answer> {
  const refusal = await refuse(world, request);
  if (refusal !== undefined) return refusal;
  const { method, url, body, authorization, caller } = request;
  // The emulator does not know the tokens of jobs; what they may do has been decided above.
  const token = caller.kind === 'job' ? {} : { token: tokenOf(authorization) ?? '' };
  const answer = await world.emulator.send({ method, path: url.pathname + url.search, body, ...token });
  const parsed = answer.body === undefined ? answer.text : JSON.parse(withApiPrefix(world, answer.text));
  if (answer.status === 201 && /^\/app\/installations\/\d+\/access_tokens$/.test(url.pathname)) {
    world.tokens.addInstallation(answer.body, proofmarkApp);
  }
  return {
    status: answer.status,
    body: parsed,
    headers: passedHeaders(world, answer.headers),
  };
}

async function refuse(world: World, request: Request): Promise<Answer | undefined> {
  const { method, url, caller, authorization, body } = request;
  if (caller.kind === 'unknown') return unauthorized;
  if (url.pathname === '/user' && caller.kind !== 'user') return forbidden();
  if (url.pathname.endsWith('/access_tokens')) return refuseToken(world, body);
  if (url.pathname.startsWith('/repos/')) return refuseRepository(world, request);
  if (method !== 'DELETE' || url.pathname !== '/installation/token') return undefined;
  world.tokens.revoke(tokenOf(authorization));
  return { status: 204 };
}

async function refuseRepository(world: World, { method, url, caller }: Request): Promise<Answer | undefined> {
  const [, , owner, name, room] = url.pathname.split('/');
  if (room === 'installation') {
    if (caller.kind !== 'app') return unauthorized;
    return world.withoutApp.has(`${owner}/${name}`) ? notFound : undefined;
  }
  if (caller.kind !== 'job') return undefined;
  const answer = await world.emulator.send({ method: 'GET', path: `/repos/${owner}/${name}` });
  if (answer.status !== 200) return notFound;
  const { id } = Repository.parse(answer.body);
  const need = method === 'GET' ? 'read' : 'write';
  return mayUse(caller, id, permissionOf(room), need) ? undefined : forbidden();
}

const TokenRequest = z.looseObject({
  repository_ids: z.array(z.number()).optional(),
  repositories: z.array(z.string()).optional(),
});

async function refuseToken(world: World, body: unknown): Promise<Answer | undefined> {
  if (world.installationSuspended) return forbidden('This installation has been suspended');
  const { repository_ids = [], repositories = [] } = TokenRequest.parse(body ?? {});
  for (const fullName of world.withoutApp) {
    const answer = await world.emulator.send({ method: 'GET', path: `/repos/${fullName}` });
    const repository = Repository.safeParse(answer.body);
    if (!repository.success) continue;
    const { id, name } = repository.data;
    if (!repository_ids.includes(id) && !repositories.includes(name)) continue;
    const message =
      'There is at least one repository that does not exist or is not accessible to the parent installation.';
    return { status: 422, body: { message } };
  }
  return undefined;
}

/** The permission that guards a part of a repository's API. */
function permissionOf(room: string | undefined): string {
  if (room === undefined) return 'metadata';
  if (room === 'pulls') return 'pull_requests';
  if (room === 'issues') return 'issues';
  if (room.startsWith('check-')) return 'checks';
  return 'contents';
}

/** The links of the emulator lead to the root; on an Enterprise Server the API lies below a prefix. */
function withApiPrefix({ origin, apiPrefix }: World, json: string): string {
  return json.replaceAll(`"${origin}/repos/`, `"${origin}${apiPrefix}/repos/`);
}

function passedHeaders({ origin, apiPrefix, emulator }: World, headers: Headers): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of ['link', 'location', 'content-type']) {
    const value = headers.get(name);
    if (value !== null) passed[name] = value.replaceAll(emulator.url, origin + apiPrefix);
  }
  return passed;
}
