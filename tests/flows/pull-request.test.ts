import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { brokenCases, shopFiles, worsenedPrompt } from '../demo/shop.ts';
import type { GithubEvent } from '../stack/github/event.ts';
import { rerequestCheckRun } from '../stack/github/press-button.ts';
import { openPullRequest } from '../stack/github/pull-request.ts';
import { annotations, checkRuns, comments } from '../stack/github/read-back.ts';
import { branchSha, createRepository, pushCommit } from '../stack/github/repository.ts';
import type { ActionResult } from '../stack/github/run-action.ts';
import { type GithubServer, startGithub } from '../stack/github-server.ts';
import { supportDeskRules } from '../stack/model/support-desk.ts';
import { type ModelServer, startModelServer } from '../stack/model-server.ts';
import { type OwnNats, startOwnNats } from '../stack/nats.ts';
import { receiveSpans } from '../stack/otlp-receiver.ts';
import { type Product, serverVariables, startProduct } from '../stack/product.ts';
import { runJob } from '../stack/run-job.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { askGraphql } from './running-product.ts';

let directory: string;
let github: GithubServer;
/** An Enterprise Server beside it, with the same App id and the same ids of installations. */
let enterprise: GithubServer;
let model: ModelServer;
let product: Product;
// Streams are one per broker, so a product under test needs a broker of its own.
let nats: OwnNats;
let traces: Awaited<ReturnType<typeof receiveSpans>>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'proofmark-flow-'));
  github = await startGithub();
  enterprise = await startGithub({ apiPrefix: '/api/v3' });
  const servers = join(directory, 'servers.yaml');
  await writeFile(servers, JSON.stringify([serverVariables(enterprise)]));
  model = await startModelServer({ rules: supportDeskRules });
  nats = await startOwnNats();
  traces = await receiveSpans();
  product = await startProduct({
    postgresUrl: inject('postgresUrl'),
    template: inject('migratedDatabase'),
    programs: inject('programs'),
    nats,
    modelUrl: model.url,
    github,
    runners: 2,
    coordinatorEnv: {
      PROOFMARK_GITHUB_HOSTS: servers,
      OTEL_EXPORTER_OTLP_ENDPOINT: traces.endpoint,
      OTEL_SERVICE_NAME: 'our coordinator',
    },
    runnerEnv: {
      OTEL_EXPORTER_OTLP_ENDPOINT: traces.endpoint,
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=our%20runner',
    },
  });
});

afterAll(async () => {
  await product?.stop();
  await nats?.stop();
  await model?.stop();
  await rm(directory, { recursive: true, force: true });
  await github?.stop();
  await enterprise?.stop();
  await traces?.stop();
});

interface Shop {
  on: GithubServer;
  repository: string;
  pullRequest: number;
  headSha: string;
}

let shops = 0;

/** A repository whose base was recorded, and a pull request with these changes. */
async function openShop(changes: Record<string, string>, on = github): Promise<Shop> {
  shops += 1;
  const { full_name: repository } = await createRepository(on, { name: `shop-${shops}`, files: await shopFiles() });
  const base = (await branchSha(on, repository, 'main')) ?? '';
  await job({ on, repository }, base, { name: 'push', branch: 'main' });
  await checksOf({ on, repository }, base, 1);
  const headSha = await pushCommit(on, { repository, branch: 'change', files: changes });
  const { number } = await openPullRequest(on, { repository, head: 'change' });
  return { on, repository, pullRequest: number, headSha };
}

/** Where the name of a case stands in the suite file. */
async function lineOf(caseName: string): Promise<number> {
  const lines = (await shopFiles())['evals/support.suite.yaml']?.split('\n') ?? [];
  return lines.findIndex((line) => line.includes(`name: ${caseName}`)) + 1;
}

type Place = Pick<Shop, 'on' | 'repository'>;

function job({ on, repository }: Place, sha: string, event: GithubEvent): Promise<ActionResult> {
  return runJob(on, {
    coordinator: product.url,
    directory,
    repository,
    sha,
    event,
    env: {
      PROOFMARK_POLL_MS: '50',
      OTEL_EXPORTER_OTLP_ENDPOINT: traces.endpoint,
      OTEL_SERVICE_NAME: 'our action',
    },
  });
}

/** The check runs of a commit once there are so many, and all of them are completed. */
async function checksOf({ on, repository }: Place, sha: string, count = 2) {
  return await waitUntil(
    async () => {
      const found = await checkRuns(on, repository, sha);
      return found.length >= count && found.every((check) => check.status === 'completed') ? found : undefined;
    },
    { what: `the checks of ${sha.slice(0, 7)} are completed`, detail: product.coordinator.log },
  );
}

async function commentsOf({ on, repository, pullRequest }: Shop, expected: RegExp) {
  return await waitUntil(
    async () => {
      const found = await comments(on, repository, pullRequest);
      return found.some((comment) => expected.test(comment.body)) ? found : undefined;
    },
    { what: `a comment like ${expected}`, detail: product.coordinator.log },
  );
}

const Reporting = z.object({ kind: z.string(), state: z.string(), reason: z.string().nullable() });

async function reportingOf(id: string | undefined) {
  const query = 'query ($id: UUID!) { run(id: $id) { reporting { kind state reason } } }';
  const { data } = await askGraphql(product.url, { query, variables: { id }, token: product.token });
  return z.object({ run: z.object({ reporting: z.array(Reporting) }) }).parse(data).run.reporting;
}

const isParkedComment = ({ kind, state }: z.infer<typeof Reporting>): boolean =>
  kind === 'GITHUB_COMMENT' && state === 'PARKED';

describe('a pull request that worsens a prompt', () => {
  it('D-12, D-13: gets red checks on its head, annotations on the cases and one comment that names them', async () => {
    const shop = await openShop(await worsenedPrompt());
    const result = await job(shop, shop.headSha, { name: 'pull_request', number: shop.pullRequest });
    expect(result.exitCode, result.log).toBe(0); // The check is the gate: one red mark is enough.
    expect(result.outputs).toMatchObject({ verdict: 'regressed', conclusion: 'failure', 'report-mode': 'app' });

    const checks = await checksOf(shop, shop.headSha);
    expect(checks.map(({ name, conclusion, app }) => `${app.slug} says ${name}: ${conclusion}`).toSorted()).toEqual([
      'proofmark says proofmark / Support desk: failure',
      'proofmark says proofmark: failure',
    ]);
    const suite = checks.find((check) => check.name === 'proofmark / Support desk');
    const marks = await annotations(github, shop.repository, suite?.id ?? 0);
    expect(marks.map((mark) => `${mark.path}:${mark.start_line} ${mark.annotation_level} ${mark.title}`)).toEqual([
      `evals/support.suite.yaml:${await lineOf('Opening hours')} failure Opening hours broke`,
      `evals/support.suite.yaml:${await lineOf('Refund time')} failure Refund time broke`,
    ]);

    const [comment, ...others] = await commentsOf(shop, /regressed/i);
    expect(others).toEqual([]);
    expect(comment?.user.login).toBe('proofmark[bot]');
    expect(comment?.body.split('\n')[0]).toBe('<!-- proofmark:v1 key=pr -->');
    for (const name of brokenCases) expect(comment?.body).toContain(`<code>${name}</code>`);
    expect(comment?.body).toContain(shop.headSha.slice(0, 7));
  });

  it('is one trace, from the job to the calls of the model with their tokens, of whoever the environment says', async () => {
    const wayOf = (names: readonly string[]) => names.join(' < ');
    const called = await waitUntil(
      () => traces.spans.find((span) => /^chat /.test(span.name) && traces.chainOf(span).length === 6),
      {
        what: 'a model call is seen below the job',
        detail: () => JSON.stringify(traces.spans.map((span) => wayOf(traces.chainOf(span).map(({ name }) => name)))),
      },
    );
    const chain = traces.chainOf(called);
    expect(chain.map(({ service, name }) => `${service}: ${name}`)).toEqual([
      `our runner: ${called.name}`,
      'our runner: test run',
      'our coordinator: publish chunk',
      'our coordinator: startRun',
      'our coordinator: POST /graphql',
      'our action: proofmark action',
    ]);
    expect(new Set(chain.map(({ traceId }) => traceId)).size).toBe(1);
    expect(called.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
    });
  });

  it('is counted: what was taken, asked and used stands on /metrics, and reaches the receiver of the trace', async () => {
    const ofRunners = await Promise.all(
      product.runners.map(async ({ ready }) => {
        const { port } = z.looseObject({ port: z.int() }).parse(ready);
        return await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      }),
    );
    const ofRunner = ofRunners.join('\n');
    expect(ofRunner).toMatch(
      /^proofmark_model_calls_total\{provider="openai",operation="chat",outcome="answered"\} [1-9]/m,
    );
    expect(ofRunner).toMatch(/^proofmark_tokens_total\{role="agent",direction="output"\} [1-9]/m);
    expect(ofRunner).toMatch(/^proofmark_test_runs_total\{outcome="failed"\} [1-9]/m);
    const ofCoordinator = await (await fetch(`${product.url}/metrics`)).text();
    expect(ofCoordinator).toMatch(/^proofmark_attempts_total\{attempt="first"\} [1-9]/m);
    expect(ofCoordinator).toMatch(/^proofmark_github_requests_total\{kind="write",status="201"\} [1-9]/m);
    expect(ofCoordinator).toMatch(/^proofmark_github_requests_total\{kind="token",status="201"\} [1-9]/m);
    expect(ofCoordinator).toMatch(
      /^proofmark_database_connections\{login="worker",lane="forge",state="limit"\} [1-9]/m,
    );
    expect(ofCoordinator).toMatch(/^proofmark_loop_pass_seconds_count\{loop="publisher"\} [1-9]/m);
    const has = (service: string, name: string) => () =>
      traces.metrics.some((one) => one.service === service && one.name === name && Number(one.value) > 0);
    await waitUntil(has('our runner', 'proofmark_model_calls_total'), { what: 'calls of models arrive' });
    await waitUntil(has('our coordinator', 'proofmark_attempts_total'), { what: 'attempts arrive' });
  });

  it('D-12: a later push that repairs it edits the same comment and turns the checks around', async () => {
    const shop = await openShop(await worsenedPrompt());
    await job(shop, shop.headSha, { name: 'pull_request', number: shop.pullRequest });
    const [first] = await commentsOf(shop, /Regressed/);
    const repaired = await pushCommit(github, {
      repository: shop.repository,
      branch: 'change',
      files: { 'agents/support.agent.yaml': `${(await shopFiles())['agents/support.agent.yaml']}  Be kind.\n` },
    });
    await job(shop, repaired, { name: 'pull_request', number: shop.pullRequest, action: 'synchronize' });
    const checks = await checksOf(shop, repaired, 1);
    expect(checks.map((check) => check.conclusion)).not.toContain('failure');
    const [comment, ...others] = await commentsOf(shop, new RegExp(repaired.slice(0, 7)));
    expect(others).toEqual([]);
    expect(comment?.id).toBe(first?.id);
    expect(comment?.body).not.toContain('Regressed');
  });
});

describe('GitHub misbehaves', () => {
  it('P10: answers that are lost after the server has stored the write make no second comment and no second check', async () => {
    const shop = await openShop(await worsenedPrompt());
    const writes = [
      { method: 'POST', path: '/check-runs' },
      { method: 'POST', path: '/check-runs' },
      { method: 'PATCH', path: '/check-runs' },
      { method: 'POST', path: '/comments' },
    ];
    for (const write of writes) {
      github.failNext({ method: write.method, path: new RegExp(write.path), kind: 'drop-after-commit' });
    }
    await job(shop, shop.headSha, { name: 'pull_request', number: shop.pullRequest });
    const checks = await checksOf(shop, shop.headSha);
    expect(checks.map((check) => check.name).toSorted()).toEqual(['proofmark', 'proofmark / Support desk']);
    const found = await commentsOf(shop, /Regressed/);
    expect(found).toHaveLength(1);
    const suite = checks.find((check) => check.name === 'proofmark / Support desk');
    expect(await annotations(github, shop.repository, suite?.id ?? 0)).toHaveLength(2);
  });

  it('a refused comment is parked with its reason, and the checks are still written', async () => {
    const shop = await openShop(await worsenedPrompt());
    // Of this repository: the comment of an earlier test may still be under way.
    const path = new RegExp(`/${shop.repository}/issues/.*/comments`);
    github.failNext({ method: 'POST', path, kind: 'status', status: 403, times: Number.POSITIVE_INFINITY });
    const { outputs } = await job(shop, shop.headSha, { name: 'pull_request', number: shop.pullRequest });
    const checks = await checksOf(shop, shop.headSha);
    expect(checks.map((check) => check.conclusion)).toEqual(['failure', 'failure']);
    const { reason } = await waitUntil(async () => (await reportingOf(outputs['run-id'])).find(isParkedComment), {
      what: 'the comment is parked',
      detail: product.coordinator.log,
    });
    expect(reason).toMatch(/403/);
    expect(await comments(github, shop.repository, shop.pullRequest)).toEqual([]);
    github.clearFaults();
  });
});

describe('one coordinator for two GitHub servers', () => {
  it('each pull request is judged, told and run again on its own server', async () => {
    const [here, there] = [await openShop(await worsenedPrompt()), await openShop(await worsenedPrompt(), enterprise)];
    for (const shop of [here, there]) {
      const event = { name: 'pull_request', number: shop.pullRequest } as const;
      const { outputs, log } = await job(shop, shop.headSha, event);
      expect(outputs, log).toMatchObject({ verdict: 'regressed', 'report-mode': 'app' });
      const checks = await checksOf(shop, shop.headSha);
      expect(checks.map(({ conclusion }) => conclusion)).toEqual(['failure', 'failure']);
      const found = await commentsOf(shop, /Regressed/);
      expect(found).toHaveLength(1);
      expect(found[0]?.body).toContain(`${shop.on.serverUrl}/${shop.repository}/blob/${shop.headSha}/`);
    }
    enterprise.webhooks.target = `${product.url}/webhooks/github`;
    const before = await checksOf(there, there.headSha);
    await rerequestCheckRun(enterprise, there.repository, before[0]?.id ?? 0);
    const isAgain = async () => (await checkRuns(enterprise, there.repository, there.headSha)).length > before.length;
    await waitUntil(isAgain, { what: 'a new check on the server that asked', detail: product.coordinator.log });
    expect(await checksOf(here, here.headSha)).toHaveLength(before.length);
    await checksOf(there, there.headSha, before.length + 1);
  });
});
