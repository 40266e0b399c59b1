import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { TokenBook } from './github/callers.ts';
import { maintainer, proofmarkApp, startEmulator, stranger } from './github/emulator.ts';
import { Faults } from './github/faults.ts';
import { Journal } from './github/journal.ts';
import { issuerPath, OidcIssuer } from './github/oidc-issuer.ts';
import { expectToFit } from './github/openapi.ts';
import { PullHeads } from './github/pull-heads.ts';
import { relayPath, serve } from './github/serve.ts';
import { User } from './github/shapes.ts';
import { WebhookSender } from './github/webhook-sender.ts';
import type { World } from './github/world.ts';
import { listen } from './listen.ts';

export type GithubServer = AsyncDisposable & {
  /** As on a runner: GITHUB_SERVER_URL, GITHUB_API_URL, GITHUB_GRAPHQL_URL. */
  serverUrl: string;
  apiUrl: string;
  graphqlUrl: string;
  /** What the coordinator is configured with. */
  app: { id: number; slug: string; privateKey: string; installationId: number; webhookSecret: string };
  oidc: { issuer: string; jwksUri: string };
  journal: Journal;
  failNext: Faults['failNext'];
  clearFaults: () => void;
  webhooks: WebhookSender;
  world: World;
  stop: () => Promise<void>;
};

type StartOptions = {
  /** '/api/v3' makes it look like an Enterprise Server. */
  apiPrefix?: '' | '/api/v3';
  /** False: nobody asks at the end whether GitHub knows all that was asked of it. */
  isHeld?: boolean;
};

/**
 * A GitHub on loopback: the emulator behind a proxy that corrects it, records every request and injects faults. When it stops it
 * throws if the product asked anything of it that GitHub's own description does not know.
 */
export async function startGithub({ apiPrefix = '', isHeld = true }: StartOptions = {}): Promise<GithubServer> {
  const faults = new Faults();
  const journal = new Journal();
  const ready = Promise.withResolvers<World>();
  const server = createServer((incoming, response) => {
    ready.promise
      .then((world) => serve({ world, faults, journal, incoming, response }))
      .catch((error: unknown) => {
        const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
        if (!response.headersSent) response.writeHead(500).end(JSON.stringify({ message }));
      });
  });
  const { origin, close } = await listen(server);
  const webhookSecret = randomBytes(16).toString('hex');
  const webhooks = new WebhookSender({
    secret: webhookSecret,
    appId: proofmarkApp.id,
    installationId: proofmarkApp.installationId,
  });
  if (apiPrefix !== '') webhooks.enterpriseHost = new URL(origin).host;
  const emulator = await startEmulator({ origin, webhookUrl: origin + relayPath });
  const world: World = {
    origin,
    apiPrefix,
    emulator,
    tokens: new TokenBook(),
    checkRuns: [],
    comments: [],
    pullHeads: new PullHeads(),
    webhooks,
    oidc: await OidcIssuer.create(origin),
    withoutApp: new Set(),
    lockedConversations: new Set(),
    installationSuspended: false,
    forkBranches: new Set(),
    authors: new Map(),
    appCodes: new Set(),
  };
  for (const { login, token } of [maintainer, stranger]) {
    const { id } = User.parse((await emulator.send({ method: 'GET', path: `/users/${login}` })).body);
    world.tokens.addUser(token, login, id);
  }
  ready.resolve(world);

  const stop = async () => {
    await close();
    await emulator.close();
    if (isHeld) await expectToFit(journal);
  };
  return {
    serverUrl: origin,
    apiUrl: origin + apiPrefix,
    graphqlUrl: `${origin}${apiPrefix === '' ? '' : '/api'}/graphql`,
    app: {
      id: proofmarkApp.id,
      slug: proofmarkApp.slug,
      installationId: proofmarkApp.installationId,
      privateKey: emulator.privateKey,
      webhookSecret,
    },
    oidc: { issuer: `${origin}${issuerPath}`, jwksUri: `${origin}${issuerPath}/.well-known/jwks` },
    journal,
    failNext: (fault) => faults.failNext(fault),
    clearFaults: () => faults.clear(),
    webhooks,
    world,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
