import { type Answer, notFound, ok } from './answer.ts';
import { forward } from './forward.ts';
import { Repository, User } from './shapes.ts';
import type { Request, Route, World } from './world.ts';

/** The emulator answers 404 for somebody without rights, where GitHub says which right everybody has. */
export const permissionRoutes: Route[] = [
  { method: 'GET', path: '/repos/:owner/:repo/collaborators/:username/permission', handle: showPermission },
];

async function showPermission(world: World, request: Request, params: Record<string, string>): Promise<Answer> {
  const answer = await forward(world, request);
  if (answer.status !== 404) return answer;
  const repository = await world.emulator.send({ method: 'GET', path: `/repos/${params.owner}/${params.repo}` });
  const account = await world.emulator.send({ method: 'GET', path: `/users/${params.username}` });
  if (repository.status !== 200 || account.status !== 200) return notFound;
  const permission = Repository.parse(repository.body).private ? 'none' : 'read';
  return ok({ permission, role_name: permission, user: User.parse(account.body) });
}
