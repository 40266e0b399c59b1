import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { shopFiles } from '../demo/shop.ts';
import type { GithubEvent } from '../stack/github/event.ts';
import { openPullRequest } from '../stack/github/pull-request.ts';
import { type CheckRun, type Comment, checkRuns, comments } from '../stack/github/read-back.ts';
import { branchSha, createRepository, pushCommit } from '../stack/github/repository.ts';
import { type ActionResult, runAction } from '../stack/github/run-action.ts';
import type { Repository } from '../stack/github/shapes.ts';
import { type GithubServer, startGithub } from '../stack/github-server.ts';
import { supportDeskRules } from '../stack/model/support-desk.ts';
import { type ModelServer, startModelServer } from '../stack/model-server.ts';
import { startOwnNats } from '../stack/nats.ts';
import { type Product, startProduct } from '../stack/product.ts';
import { type Job, prepareJob, type Step } from '../stack/run-job.ts';
import { waitUntil } from '../stack/wait-until.ts';

/** A pull request of a shop whose support desk is tested. */
export interface Shop {
  repository: string;
  pullRequest: number;
  baseSha: string;
  headSha: string;
}

type ShopOptions = {
  /** Another organisation than the first. */
  owner?: string;
  /** What the pull request changes; null removes a file. */
  changes: Record<string, string | null>;
  /** What differs from the files of the example on the base. */
  files?: Record<string, string>;
  /** Whether the App is installed on the repository. */
  withApp?: boolean;
};

type JobOptions = Pick<Job, 'permissions' | 'env' | 'inputs' | 'attempt' | 'prepare'>;

export type ShopWorld = AsyncDisposable & {
  github: GithubServer;
  model: ModelServer;
  /** Null: cases run inside the jobs. */
  product: Product | null;
  openShop: (options: ShopOptions) => Promise<Shop>;
  /** Another commit on the branch of the pull request. */
  push: (shop: Shop, files: Record<string, string | null>) => Promise<Shop>;
  job: (repository: string, sha: string, event: GithubEvent, options?: JobOptions) => Promise<ActionResult>;
  /** The same job, not yet run. */
  prepare: (repository: string, sha: string, event: GithubEvent, options?: JobOptions) => Promise<Step>;
  /** The job of the pull request at its head. */
  gate: (shop: Shop, options?: JobOptions) => Promise<ActionResult>;
  checksOf: (shop: Shop) => Promise<CheckRun[]>;
  /** The checks by name, once there are so many and all of them are completed. */
  completedChecks: (shop: Shop, count: number) => Promise<CheckRun[]>;
  commentsOf: (shop: Shop) => Promise<Comment[]>;
  /** All comments, once one of them is like this. */
  commentsLike: (shop: Shop, expected: RegExp) => Promise<Comment[]>;
};

/** The permissions of a job that reports with its own token. */
const tokenPermissions = { contents: 'read', checks: 'write', 'pull-requests': 'write' };

/** Pauses of the Action that a test does not need. */
const short = { PROOFMARK_POLL_MS: '50', PROOFMARK_GITHUB_WRITE_INTERVAL_MS: '1', PROOFMARK_GITHUB_REREAD_MS: '20' };

/** A gate that is sure with the few trials of a test: only a drop of 40 points or more is looked for. */
export async function sureSuite(): Promise<Record<string, string>> {
  const path = 'evals/support.suite.yaml';
  const text = (await shopFiles())[path] ?? '';
  return { [path]: text.replace('repetitions: 3\n', 'repetitions: 3\nalert_threshold_percent: 40\n') };
}

/** Without the App nobody can ask GitHub about a repository, so an admin lets its jobs in. */
async function enrol(product: Product, github: GithubServer, { id, owner, full_name }: Repository): Promise<void> {
  const query = 'mutation ($input: EnrollRepositoryInput!) { enrollRepository(input: $input) { __typename } }';
  const host = new URL(github.serverUrl).host;
  const input = {
    host,
    repositoryId: String(id),
    ownerId: String(owner.id),
    fullName: full_name,
    defaultBranch: 'main',
  };
  const text = JSON.stringify(await ask(product, query, { input }));
  if (!text.includes('EnrollRepositorySuccess')) throw new Error(`the repository was not enrolled: ${text}`);
}

/** What the coordinator answers to its admin. */
export async function ask(product: Product, query: string, variables: Record<string, unknown>): Promise<unknown> {
  const answer = await fetch(`${product.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${product.token}` },
    body: JSON.stringify({ query, variables }),
  });
  return await answer.json();
}

type WorldOptions = { withCoordinator: boolean; coordinatorEnv?: Record<string, string> };

/** A local GitHub, a scripted model and, when asked for, the product; jobs run the real bundle. */
export async function openShopWorld({ withCoordinator, coordinatorEnv = {} }: WorldOptions): Promise<ShopWorld> {
  const directory = await mkdtemp(join(tmpdir(), 'proofmark-shop-'));
  const github = await startGithub();
  const model = await startModelServer({ rules: supportDeskRules });
  // Streams are one per broker, so a product under test needs a broker of its own.
  const nats = withCoordinator ? await startOwnNats() : null;
  const product =
    nats === null
      ? null
      : await startProduct({
          postgresUrl: inject('postgresUrl'),
          template: inject('migratedDatabase'),
          programs: inject('programs'),
          nats,
          modelUrl: model.url,
          github,
          runners: 1,
          // Its shops are ours, and a test has no job at hand that could prove it.
          coordinatorEnv: { PROOFMARK_ALLOW_ADMIN_ENROLL: '1', ...coordinatorEnv },
        });
  let shops = 0;

  const prepare: ShopWorld['prepare'] = (repository, sha, event, { env, ...options } = {}) => {
    const place = product === null ? {} : { coordinator: product.url };
    const keys = product === null ? { OPENAI_API_KEY: 'sk-test-0123456789abcdef', OPENAI_BASE_URL: model.url } : {};
    return prepareJob(github, {
      ...{ permissions: product === null ? tokenPermissions : { ...tokenPermissions, 'id-token': 'write' } },
      ...{ ...options, ...place, directory, repository, sha, event, env: { ...short, ...keys, ...env } },
    });
  };
  const job: ShopWorld['job'] = async (...given) => {
    const { script, environment } = await prepare(...given);
    return await runAction(script, environment);
  };
  const checksOf: ShopWorld['checksOf'] = ({ repository, headSha }) => checkRuns(github, repository, headSha);
  const commentsOf: ShopWorld['commentsOf'] = (shop) => comments(github, shop.repository, shop.pullRequest);

  return {
    github,
    model,
    product,
    prepare,
    job,
    checksOf,
    commentsOf,
    openShop: async ({ owner, changes, files = {}, withApp = true }) => {
      shops += 1;
      const all = { ...(await shopFiles()), ...files };
      const created = await createRepository(github, {
        ...{ name: `shop-${shops}`, files: all, withApp },
        ...(owner === undefined ? {} : { owner }),
      });
      const { full_name: repository } = created;
      if (product !== null && !withApp) await enrol(product, github, created);
      const baseSha = (await branchSha(github, repository, 'main')) ?? '';
      if (product !== null) await job(repository, baseSha, { name: 'push', branch: 'main' });
      const headSha = await pushCommit(github, { repository, branch: 'change', files: changes });
      const { number } = await openPullRequest(github, { repository, head: 'change' });
      return { repository, pullRequest: number, baseSha, headSha };
    },
    push: async (shop, files) => {
      const headSha = await pushCommit(github, { repository: shop.repository, branch: 'change', files });
      return { ...shop, headSha };
    },
    gate: (shop, options) =>
      job(shop.repository, shop.headSha, { name: 'pull_request', number: shop.pullRequest }, options),
    completedChecks: (shop, count) =>
      waitUntil(
        async () => {
          const found = await checksOf(shop);
          const isDone = found.length >= count && found.every(({ status }) => status === 'completed');
          return isDone ? found.toSorted((a, b) => (a.name < b.name ? -1 : 1)) : undefined;
        },
        { what: 'the checks are completed', detail: () => product?.coordinator.log() ?? '' },
      ),
    commentsLike: (shop, expected) =>
      waitUntil(
        async () => {
          const found = await commentsOf(shop);
          return found.some(({ body }) => expected.test(body)) ? found : undefined;
        },
        { what: `a comment like ${expected}`, detail: () => product?.coordinator.log() ?? '' },
      ),
    async [Symbol.asyncDispose]() {
      await product?.stop();
      await nats?.stop();
      await model.stop();
      await rm(directory, { recursive: true, force: true });
      await github.stop();
    },
  };
}
