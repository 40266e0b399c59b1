import type { Answer } from './answer.ts';
import { forbidden, notFound } from './answer.ts';
import { type Caller, mayUse, type TokenBook } from './callers.ts';
import type { CheckRunRow } from './check-run-row.ts';
import type { CommentRow } from './comment-row.ts';
import type { Emulator } from './emulator.ts';
import type { OidcIssuer } from './oidc-issuer.ts';
import type { PullHeads } from './pull-heads.ts';
import { Repository } from './shapes.ts';
import type { WebhookSender } from './webhook-sender.ts';

/** Everything that the routes know beside the emulator. */
export type World = {
  /** Without a path, e.g. http://127.0.0.1:4001. */
  origin: string;
  /** '' as on github.com, or '/api/v3' as on an Enterprise Server. */
  apiPrefix: string;
  emulator: Emulator;
  tokens: TokenBook;
  checkRuns: CheckRunRow[];
  comments: CommentRow[];
  pullHeads: PullHeads;
  webhooks: WebhookSender;
  oidc: OidcIssuer;
  /** Full names of repositories on which the App is not installed. */
  withoutApp: Set<string>;
  /** As `owner/name#number`. */
  lockedConversations: Set<string>;
  installationSuspended: boolean;
  /** Branches, as `owner/name:branch`, whose pull requests come from the repository of a stranger. */
  forkBranches: Set<string>;
  /** Who opened a pull request, by `owner/name#number`; else whoever the emulator says. */
  authors: Map<string, string>;
  /** Codes for Apps that somebody made with a form; each is good once. */
  appCodes: Set<string>;
};

export type Request = {
  method: string;
  /** Without the API prefix; never with a query. */
  url: URL;
  body: unknown;
  authorization: string | undefined;
  caller: Caller;
};

export type Route = {
  method: string;
  /** Segments that begin with a colon are parameters. */
  path: string;
  handle: (world: World, request: Request, params: Record<string, string>) => Answer | Promise<Answer>;
};

type Access = { permissions: string[]; need: 'read' | 'write' };

/** The repository of the path for a caller who has one of the permissions, else GitHub's refusal. */
export async function openRepository(
  world: World,
  { caller }: Request,
  { owner = '', repo = '' }: Record<string, string>,
  { permissions, need }: Access,
): Promise<{ repository: Repository } | { refusal: Answer }> {
  const answer = await world.emulator.send({ method: 'GET', path: `/repos/${owner}/${repo}` });
  if (answer.status !== 200) return { refusal: notFound };
  const repository = Repository.parse(answer.body);
  if (permissions.some((permission) => mayUse(caller, repository.id, permission, need))) return { repository };
  return { refusal: caller.kind === 'anonymous' ? notFound : forbidden() };
}

/** The parameters when the route fits, else undefined. */
export function match(route: Route, method: string, pathname: string): Record<string, string> | undefined {
  if (route.method !== method) return undefined;
  const wanted = route.path.split('/');
  const given = pathname.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const value = decodeURIComponent(given[index] ?? '');
    if (segment.startsWith(':')) params[segment.slice(1)] = value;
    else if (segment !== value) return undefined;
  }
  return params;
}
