import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { type Answer, ok, unauthorized } from './answer.ts';
import { manifestRoutes } from './app-manifests.ts';
import { checkRunRoutes } from './check-runs.ts';
import { commentRoutes } from './comments.ts';
import type { Fault, Faults } from './faults.ts';
import { forward } from './forward.ts';
import { graphqlRoutes } from './graphql.ts';
import { hookDeliveryRoutes } from './hook-deliveries.ts';
import type { Journal } from './journal.ts';
import { oidcRoutes } from './oidc-routes.ts';
import { permissionRoutes } from './permission.ts';
import { followBranch, pullRequestRoutes, withCurrentHead, writtenBranch } from './pull-requests.ts';
import { Repository } from './shapes.ts';
import { match, type Request, type Route, type World } from './world.ts';

/** Where the emulator sends its webhooks; they go on to the App with the corrections. */
export const relayPath = '/_services/webhook-relay';

const routes: Route[] = [
  { method: 'POST', path: relayPath, handle: relayWebhook },
  ...oidcRoutes,
  ...graphqlRoutes,
  ...checkRunRoutes,
  ...commentRoutes,
  ...pullRequestRoutes,
  ...permissionRoutes,
  ...hookDeliveryRoutes,
  ...manifestRoutes,
];

type Serving = { world: World; faults: Faults; journal: Journal; incoming: IncomingMessage; response: ServerResponse };

/** Answers one request: fault, route or emulator, journal, and what a push leads to. */
export async function serve({ world, faults, journal, incoming, response }: Serving): Promise<void> {
  const request = await readRequest(world, incoming);
  const { method, url, body, caller } = request;
  const isOurs = url.pathname.startsWith('/_services/');
  const fault = isOurs ? undefined : faults.take(method, url.pathname, body);
  const answer = await faultyAnswer(world, request, fault);
  const status = answer === 'dropped' ? 0 : answer.status;
  if (url.pathname !== relayPath) {
    journal.add({
      atMs: performance.now(),
      method,
      path: url.pathname,
      query: url.search,
      caller: caller.kind,
      body,
      status,
    });
  }
  if (answer === 'dropped') incoming.socket.destroy();
  else sendAnswer(request, incoming, response, answer);
}

async function faultyAnswer(world: World, request: Request, fault: Fault | undefined): Promise<Answer | 'dropped'> {
  if (fault?.kind === 'drop-before') return 'dropped';
  if (fault?.kind === 'status') {
    const { status = 500, body = { message: 'Server Error' }, headers = {} } = fault;
    return { status, body, headers };
  }
  if (fault?.kind === 'hold-before') await fault.until;
  const answer = await answerRequest(world, request);
  if (fault?.kind === 'hold-answer') await fault.until;
  return fault?.kind === 'drop-after-commit' ? 'dropped' : answer;
}

async function answerRequest(world: World, request: Request): Promise<Answer> {
  const { method, url, caller } = request;
  for (const route of routes) {
    const params = match(route, method, url.pathname);
    if (params === undefined) continue;
    const isOurs = url.pathname.startsWith('/_services/');
    return caller.kind === 'unknown' && !isOurs ? unauthorized : route.handle(world, request, params);
  }
  const answer = await forward(world, request);
  if (answer.status < 300) await afterWrite(world, request);
  return answer;
}

async function afterWrite(world: World, request: Request): Promise<void> {
  const [, repos, owner, name] = request.url.pathname.split('/');
  if (repos !== 'repos' || request.method === 'GET') return;
  const answer = await world.emulator.send({ method: 'GET', path: `/repos/${owner}/${name}` });
  const repository = Repository.safeParse(answer.body).data;
  const branch = writtenBranch(request, repository?.default_branch ?? 'main');
  if (branch !== undefined && repository !== undefined) await followBranch(world, repository.full_name, branch);
}

const Relayed = z.looseObject({
  pull_request: z.unknown().optional(),
  repository: z.looseObject({ full_name: z.string() }).optional(),
});

async function relayWebhook(world: World, { body }: Request): Promise<Answer> {
  const { event, payload } = z.object({ event: z.string(), payload: Relayed }).parse(body);
  const fullName = payload.repository?.full_name;
  if (fullName !== undefined && world.withoutApp.has(fullName)) return ok({});
  const { pull_request } = payload;
  const number = z.looseObject({ number: z.number() }).safeParse(pull_request).data?.number;
  const corrected =
    pull_request === undefined ? payload : { ...payload, number, pull_request: withCurrentHead(world, pull_request) };
  await world.webhooks.send(event, corrected);
  return ok({});
}

async function readRequest(world: World, incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  const url = new URL(incoming.url ?? '/', world.origin);
  if (url.pathname.startsWith(`${world.apiPrefix}/`)) url.pathname = url.pathname.slice(world.apiPrefix.length);
  const authorization = incoming.headers.authorization;
  const body = text === '' ? undefined : parse(text);
  const event = incoming.headers['x-github-event'];
  return {
    method: incoming.method ?? 'GET',
    url,
    body: url.pathname === relayPath ? { event, payload: body } : body,
    authorization,
    caller: world.tokens.callerOf(authorization),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The routes refuse what is no JSON with the 422 of their shapes.
    return undefined;
  }
}

function sendAnswer({ method }: Request, incoming: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const { status, body, headers = {} } = answer;
  if (body === undefined || status === 204) return void response.writeHead(status, headers).end();
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const etag = `"${createHash('sha256').update(text).digest('hex').slice(0, 32)}"`;
  if (method === 'GET' && incoming.headers['if-none-match'] === etag)
    return void response.writeHead(304, { etag }).end();
  const type = 'application/json; charset=utf-8';
  response.writeHead(status, { 'content-type': type, 'x-github-request-id': 'local', etag, ...headers }).end(text);
}
