import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { AgentDriver } from '@proofmark/contracts/agent-file';
import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { aCase, type CaseStory, casePorts } from '../case/a-case.fixture.ts';
import { readKeyRing } from '../models/key-ring.ts';
import { runCase } from '../run-case/run-case.ts';
import { conversing } from './own-agent-story.fixture.ts';
import { reachAgents } from './reach-agents.ts';

/** A token of the shop, which only the shop may see. */
export const token = 'shop-token/5f"e1c8+d2';

export interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Answer = (seen: Seen, answer: ServerResponse) => void;

export const json =
  (body: unknown, headers: Record<string, string | string[]> = {}, status = 200): Answer =>
  (_, answer) => {
    answer.writeHead(status, { 'content-type': 'application/json', ...headers });
    answer.end(JSON.stringify(body));
  };

export const stream =
  (...parts: string[]): Answer =>
  (_, answer) => {
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const part of parts) answer.write(part);
    answer.end();
  };

/** A service that answers by the path that is asked for; `*` takes the rest. */
export async function serve(routes: Record<string, Answer>) {
  const seen: Seen[] = [];
  const server = createServer((request, answer) => {
    void text(request).then((body) => {
      const { method, url, headers } = request;
      const one = { method, url, headers, body };
      seen.push(one);
      const route = routes[`${method} ${url?.split('?')[0]}`] ?? routes['*'];
      if (route) route(one, answer);
      else answer.writeHead(404).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a server on TCP has a port
  return {
    origin,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Runs the default case with this driver; `SHOP_TOKEN` may go to the origins given. */
export async function run(
  driver: Record<string, unknown>,
  {
    origins = [],
    secret = token,
    story = {},
  }: { origins?: readonly string[]; secret?: string; story?: CaseStory } = {},
): Promise<CaseOutcome> {
  const ring = readKeyRing(
    {
      SHOP_TOKEN: secret,
      PROOFMARK_KEY_ENVS: 'OPENAI_API_KEY,SHOP_TOKEN',
      PROOFMARK_KEY_ORIGINS: origins.map((origin) => `SHOP_TOKEN=${origin}`).join(','),
    },
    { allowsLoopback: true },
  );
  if (!ring.ok) throw new Error(ring.problems.join('\n'));
  await using reach = reachAgents({ keys: ring.keys, now: () => new Date(), programs: null });
  return await runCase(
    aCase({ ...story, agent: { driver: AgentDriver.parse({ type: 'http', ...driver }) } }),
    casePorts({ reach, pause: async () => undefined, ...conversing(story) }),
    new AbortController().signal,
  );
}

/** Asks with the message, and reads the reply. */
export const echo = { request: { message: { $from: 'input' } }, response: 'reply' };

/** The token as most services want it. */
export const bearer = { Authorization: { from_env: 'SHOP_TOKEN', prefix: 'Bearer ' } };
