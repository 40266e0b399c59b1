import { createHmac } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { actionEnvironment } from './github/action-environment.ts';
import { pressButton, rerequestCheckRun } from './github/press-button.ts';
import { openPullRequest } from './github/pull-request.ts';
import { checkOut, createRepository, pushCommit } from './github/repository.ts';
import { parseFileCommands, runAction } from './github/run-action.ts';
import { type GithubServer, startGithub } from './github-server.ts';
import { listen } from './listen.ts';
import { waitUntil } from './wait-until.ts';

const actionDirectory = fileURLToPath(new URL('fixtures/small-action', import.meta.url));
let github: GithubServer;
let directory: string;

beforeAll(async () => {
  github = await startGithub({ apiPrefix: '/api/v3' });
  directory = await mkdtemp(join(tmpdir(), 'proofmark-action-test-'));
});
afterAll(async () => {
  await github.stop();
  await rm(directory, { recursive: true });
});

async function pullRequest(name: string) {
  const { full_name } = await createRepository(github, { name, files: { 'agent.yaml': 'instructions: Be good.\n' } });
  const sha = await pushCommit(github, {
    repository: full_name,
    branch: 'worse',
    files: { 'agent.yaml': 'instructions: Be bad.\n' },
  });
  return { full_name, sha, pull: await openPullRequest(github, { repository: full_name, head: 'worse' }) };
}

it('runs an action as GitHub does: event, inputs, identity, outputs, summary, on an Enterprise Server', async () => {
  const { full_name, sha, pull } = await pullRequest('desk');
  const environment = await actionEnvironment(github, {
    repository: full_name,
    event: { name: 'pull_request', number: pull.number },
    inputs: { coordinator: 'https://proofmark.example.com' },
    actionDirectory,
    directory,
  });
  await checkOut(github, { repository: full_name, sha, directory: environment.GITHUB_WORKSPACE ?? '' });
  expect(await readFile(join(environment.GITHUB_WORKSPACE ?? '', 'agent.yaml'), 'utf8')).toBe(
    'instructions: Be bad.\n',
  );
  expect(environment.GITHUB_API_URL).toBe(`${environment.GITHUB_SERVER_URL}/api/v3`);
  expect(environment.GITHUB_SHA).not.toBe(sha);

  const result = await runAction(join(actionDirectory, 'environment.ts'), environment);
  expect(result).toMatchObject({ exitCode: 0, summary: '### All good\n', outputs: { head: sha } });
  expect(result.log).toContain(`timeout 30 minutes, sha ${environment.GITHUB_SHA}`);

  const { value } = z.object({ value: z.string() }).parse(JSON.parse(result.outputs.identity ?? ''));
  const { payload } = await jwtVerify(value, createRemoteJWKSet(new URL(github.oidc.jwksUri)), {
    algorithms: ['RS256'],
    issuer: github.oidc.issuer,
    audience: 'https://proofmark.example.com',
  });
  expect(payload).toMatchObject({
    repository: full_name,
    event_name: 'pull_request',
    run_attempt: '1',
    run_id: environment.GITHUB_RUN_ID,
  });
});

it('refuses inputs that the action does not declare', async () => {
  const { full_name } = await createRepository(github, { name: 'typo' });
  const making = actionEnvironment(github, {
    repository: full_name,
    event: { name: 'push' },
    inputs: { cordinator: 'x' },
    actionDirectory,
    directory,
  });
  await expect(making).rejects.toThrow('action.yml has no input "cordinator"');
});

it('no longer verifies a token after the key was rotated', async () => {
  const token = await github.world.oidc.sign({ aud: 'a' });
  await github.world.oidc.rotateKey();
  const keys = createRemoteJWKSet(new URL(github.oidc.jwksUri));
  await expect(jwtVerify(token, keys, { audience: 'a' })).rejects.toThrow('no applicable key');
});

it('tells the App by signed webhooks: opened, synchronize with both commits, rerequested, button; again on demand', async () => {
  const received: { event: string; guid: string; isSigned: boolean; payload: Record<string, unknown> }[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    const signature = `sha256=${createHmac('sha256', github.app.webhookSecret).update(body).digest('hex')}`;
    const { 'x-github-event': event, 'x-github-delivery': guid, 'x-hub-signature-256': given } = request.headers;
    received.push({
      event: String(event),
      guid: String(guid),
      isSigned: given === signature,
      payload: JSON.parse(body),
    });
    response.writeHead(202).end();
  };
  const receiver = await listen(createServer((request, response) => void receive(request, response)));
  github.webhooks.target = `${receiver.origin}/webhooks/github`;
  const { full_name, sha, pull } = await pullRequest('hooks');
  const next = await pushCommit(github, { repository: full_name, branch: 'worse', files: { 'b.txt': 'b' } });
  const token = github.world.tokens.addJob(pull.base.repo.id, { checks: 'write' });
  const made = await fetch(`${github.apiUrl}/repos/${full_name}/check-runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({
      name: 'proofmark',
      head_sha: next,
      actions: [{ label: 'Confirm', description: 'Run the cases again', identifier: 'confirm' }],
    }),
  });
  const { id } = z.object({ id: z.number() }).parse(await made.json());
  await rerequestCheckRun(github, full_name, id);
  await pressButton(github, { repository: full_name, checkRunId: id, identifier: 'confirm' });
  await expect(pressButton(github, { repository: full_name, checkRunId: id, identifier: 'other' })).rejects.toThrow(
    'only: confirm',
  );

  await waitUntil(() => received.length >= 4, { what: 'four webhooks came' });
  const byAction = (action: string) => received.find(({ payload }) => payload.action === action);
  expect(byAction('opened')).toMatchObject({
    event: 'pull_request',
    isSigned: true,
    payload: { installation: { id: github.app.installationId } },
  });
  expect(byAction('synchronize')).toMatchObject({
    isSigned: true,
    payload: { before: sha, after: next, pull_request: { head: { sha: next } } },
  });
  expect(byAction('rerequested')).toMatchObject({
    event: 'check_run',
    isSigned: true,
    payload: { check_run: { name: 'proofmark' } },
  });
  expect(byAction('requested_action')).toMatchObject({
    isSigned: true,
    payload: { requested_action: { identifier: 'confirm' }, sender: { login: 'olivia' } },
  });
  expect(new Set(received.map(({ guid }) => guid)).size).toBe(4);

  const [first] = github.webhooks.deliveries;
  await github.webhooks.redeliver(first?.guid ?? '');
  expect(received.at(-1)?.guid).toBe(first?.guid);
  github.webhooks.target = undefined;
  await receiver.close();
});

it('reads outputs in both spellings of the runner', () => {
  expect(parseFileCommands('a=1\nb<<E\nx\ny\nE\na=2\n')).toEqual({ a: '2', b: 'x\ny' });
  expect(() => parseFileCommands('b<<E\nx\n')).toThrow('the value of "b" has no end');
});
