import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { createDatabase, dropDatabase } from './databases.ts';
import { freePort } from './free-port.ts';
import type { GithubServer } from './github-server.ts';
import type { Nats } from './nats.ts';
import { type ProjectProcess, startProcess } from './processes.ts';

const Ready = z.looseObject({ ready: z.literal(true) });
type Service = ProjectProcess<z.infer<typeof Ready>>;

export type Product = AsyncDisposable & {
  /** Address of the coordinator. */
  url: string;
  /** An API token with every scope. */
  token: string;
  /** Of its owner. */
  databaseUrl: string;
  coordinator: Service;
  runners: Service[];
  /** Another runner process on the same broker and model. */
  addRunner: (env?: Record<string, string>) => Promise<Service>;
  /** The coordinator again, after it was killed: same port, same database. */
  restartCoordinator: (env?: Record<string, string>) => Promise<Service>;
  /** All processes again, from the sources as they are now: same address, same token, same database. */
  restart: () => Promise<void>;
  stop: () => Promise<void>;
};

export type ProductOptions = {
  /** Administrator's URL of a Postgres; the product gets a database of its own, which goes with it. */
  postgresUrl: string;
  /** A migrated database on it, of which the product gets a copy; absent: it begins with an empty one. */
  template?: string;
  /** A database to use instead; it stays. */
  databaseUrl?: string;
  nats: Pick<Nats, 'url' | 'loginOf'>;
  /** OpenAI-compatible base URL, with /v1. */
  modelUrl?: string;
  github?: GithubServer;
  runners?: number;
  /** The programs that are started instead of the sources: those of installed packages, by a Node and a user of their own. */
  programs?: { coordinator: string; runner: string; node?: string; user?: { uid: number; gid: number } };
  coordinatorEnv?: Record<string, string>;
  runnerEnv?: Record<string, string>;
  /** Where runners run, and look for programs; absent: the root of the repository. */
  runnerFolder?: string;
  logFile?: string;
};

/** A coordinator and its runners as processes of their own, ready to serve; stopped in reverse. */
export async function startProduct(options: ProductOptions): Promise<Product> {
  const database = options.databaseUrl ?? (await createDatabase(options.postgresUrl, options));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { programs: given } = options;
  const programs = given ?? { coordinator: 'coordinator/src/main.ts', runner: 'runner-agent/src/main.ts' };
  const token = `pmk_${randomBytes(32).toString('base64url')}`;
  const settings = {
    DATABASE_URL: database,
    ...options.nats.loginOf('coordinator'),
    PORT: String(port),
    PROOFMARK_HOST: '127.0.0.1',
    PUBLIC_URL: url,
    PROOFMARK_MIGRATE_ON_START: '1',
    PROOFMARK_ALLOW_LOSSY_DATABASE: '1',
    PROOFMARK_BOOTSTRAP_TOKEN: token,
    ...githubSettings(options.github),
    ...options.coordinatorEnv,
  };
  const service = {
    ready: { line: Ready },
    ...(options.logFile === undefined ? {} : { logFile: options.logFile }),
    ...(given?.node === undefined ? {} : { node: given.node }),
    ...(given?.user === undefined ? {} : { user: given.user }),
  };
  const startCoordinator = (env: Record<string, string> = {}) =>
    startProcess({ name: 'coordinator', entry: programs.coordinator, env: { ...settings, ...env }, ...service });
  const startRunner = (number: number, env: Record<string, string> = {}) =>
    startProcess({
      name: `runner-${number}`,
      entry: programs.runner,
      ...(options.runnerFolder === undefined ? {} : { folder: options.runnerFolder }),
      env: {
        ...runnerLogin(options.nats, number, { ...options.runnerEnv, ...env }),
        PORT: '0',
        OPENAI_API_KEY: 'sk-test-key-of-the-scripted-model',
        ...(options.modelUrl === undefined ? {} : { OPENAI_BASE_URL: options.modelUrl }),
        ...options.runnerEnv,
        ...env,
      },
      ...service,
    });

  const startRunners = () =>
    Promise.all(Array.from({ length: options.runners ?? 1 }, (_, index) => startRunner(index + 1)));

  let coordinator = await startCoordinator();
  const runners = await startRunners();
  const stopProcesses = async () => {
    await Promise.all(runners.map((runner) => runner.stop()));
    await coordinator.stop();
  };
  const stop = async () => {
    await stopProcesses();
    if (options.databaseUrl === undefined) await dropDatabase(options.postgresUrl, database);
  };
  return {
    url,
    token,
    databaseUrl: database,
    get coordinator() {
      return coordinator;
    },
    runners,
    addRunner: async (env) => {
      const runner = await startRunner(runners.length + 1, env);
      runners.push(runner);
      return runner;
    },
    restartCoordinator: async (env) => {
      coordinator = await startCoordinator(env);
      return coordinator;
    },
    restart: async () => {
      await stopProcesses();
      runners.length = 0;
      coordinator = await startCoordinator();
      runners.push(...(await startRunners()));
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** A runner that a test names, or puts into a pool, has no key of its own. */
function runnerLogin({ url, loginOf }: ProductOptions['nats'], number: number, env: Record<string, string>) {
  if ('PROOFMARK_RUNNER_ID' in env || 'PROOFMARK_POOLS' in env) return { NATS_URL: url };
  const name = `runner-${number}` as const;
  return { ...loginOf(name), PROOFMARK_RUNNER_ID: name };
}

/** What a coordinator is told about a GitHub server, by its environment or by a file. */
export function serverVariables({ serverUrl, apiUrl, graphqlUrl, oidc, app }: GithubServer) {
  return {
    OIDC_ISSUER: oidc.issuer,
    OIDC_JWKS_URI: oidc.jwksUri,
    GITHUB_SERVER_URL: serverUrl,
    GITHUB_API_URL: apiUrl,
    GITHUB_GRAPHQL_URL: graphqlUrl,
    GITHUB_APP_ID: String(app.id),
    GITHUB_APP_PRIVATE_KEY: app.privateKey,
    GITHUB_WEBHOOK_SECRET: app.webhookSecret,
  };
}

function githubSettings(github: GithubServer | undefined): Record<string, string> {
  if (github === undefined) return {};
  return {
    ...serverVariables(github),
    PROOFMARK_GITHUB_WRITE_INTERVAL_MS: '20',
    PROOFMARK_GITHUB_REREAD_MS: '100',
    PROOFMARK_GITHUB_PROGRESS_MS: '500',
  };
}
