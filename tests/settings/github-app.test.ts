import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'parse5';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createApp } from '../stack/github/app-manifests.ts';
import { type GithubServer, startGithub } from '../stack/github-server.ts';
import { spawnOwned } from '../stack/owned-process.ts';
import { repositoryRoot } from '../stack/processes.ts';

let github: GithubServer;
let folder: string;
beforeAll(async () => {
  github = await startGithub({ apiPrefix: '/api/v3' });
});
afterAll(async () => {
  await github?.stop();
});

const main = join(repositoryRoot, 'coordinator/src/github-app-main.ts');
const keyFile = () => join(folder, 'github-app.private-key.pem');
const secretFile = () => join(folder, 'github-app.webhook-secret');

/** The command, at work in a folder of its own, and the page that it tells. */
async function command(closing: AsyncDisposableStack, ...options: string[]) {
  folder = await mkdtemp(join(tmpdir(), 'proofmark-app-'));
  closing.defer(() => rm(folder, { recursive: true, force: true }));
  const given = ['https://proofmark.example.com', '--server', github.serverUrl, '--folder', folder, ...options];
  const process = await spawnOwned(globalThis.process.execPath, [main, ...given]);
  closing.defer(async () => void (await process.stop()));
  return process;
}

const pageOf = async (process: Awaited<ReturnType<typeof command>>): Promise<string> => {
  await process.wrote('http://127.0.0.1:', 60_000);
  return /http:\/\/127\.0\.0\.1:\S+/.exec(process.log())?.[0] ?? '';
};

const Node = z.object({
  nodeName: z.string(),
  attrs: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
  get childNodes() {
    return z.array(Node).default([]);
  },
});
type Node = z.infer<typeof Node>;

/** The form as a browser reads it. */
async function formOf(page: string): Promise<{ action: string; manifest: string }> {
  const all = (node: Node): Node[] => [node, ...node.childNodes.flatMap(all)];
  const nodes = all(Node.parse(parse(await (await fetch(page)).text())));
  const attribute = (nodeName: string, name: string) =>
    nodes.find((node) => node.nodeName === nodeName)?.attrs.find((one) => one.name === name)?.value ?? '';
  expect(attribute('form', 'method')).toBe('post');
  return { action: attribute('form', 'action'), manifest: attribute('input', 'value') };
}

test('one press of a button makes the App: its key and its secret are written for their owner alone, and used by nobody else', async () => {
  await using closing = new AsyncDisposableStack();
  const process = await command(closing, '--organization', 'acme');
  const page = await pageOf(process);
  const { redirect, manifest } = createApp(github.world, await formOf(page));
  expect(manifest).toMatchObject({
    hook_attributes: { url: 'https://proofmark.example.com/webhooks/github', active: true },
    public: false,
    // All that doctor asks for, issues of alerts included.
    default_permissions: {
      ...{ checks: 'write', pull_requests: 'write', issues: 'write' },
      ...{ contents: 'read', metadata: 'read', merge_queues: 'read' },
    },
    default_events: ['check_run', 'check_suite', 'merge_group', 'pull_request'],
  });
  // Not whoever knows the port, nor a code that another page sends, nor a name that was bent to this machine.
  const { origin } = redirect;
  const foreign = new URL(redirect);
  foreign.searchParams.set('state', 'x'.repeat(43));
  for (const url of [`${origin}/`, foreign.href, `${origin}/made?code=${'a'.repeat(40)}`]) {
    expect((await fetch(url)).status, url).toBe(404);
  }
  const answer = await fetch(redirect);
  expect([answer.status, await answer.text()]).toEqual([
    200,
    expect.stringContaining('/apps/proofmark/installations/new'),
  ]);
  expect(await process.exited, process.log()).toMatchObject({ code: 0 });
  expect(process.log()).toContain(
    `GITHUB_SERVER_URL=${github.serverUrl}\nGITHUB_APP_ID=${github.app.id}\nGITHUB_APP_PRIVATE_KEY_FILE=${keyFile()}\nGITHUB_WEBHOOK_SECRET_FILE=${secretFile()}\n`,
  );
  expect(process.log()).not.toContain(github.app.webhookSecret);
  expect(await readFile(keyFile(), 'utf8')).toBe(github.app.privateKey);
  expect(await readFile(secretFile(), 'utf8')).toBe(github.app.webhookSecret);
  for (const file of [keyFile(), secretFile()]) expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('a code that GitHub does not know leaves no file behind, and ends the command with the reason', async () => {
  await using closing = new AsyncDisposableStack();
  const process = await command(closing);
  const { redirect } = createApp(github.world, await formOf(await pageOf(process)));
  redirect.searchParams.set('code', '../../user');
  expect((await fetch(redirect)).status).toBe(502);
  expect(await process.exited).toMatchObject({ code: 1 });
  expect(process.log()).toContain('The App could not be taken over: GitHub answered 404');
  await expect(stat(keyFile())).rejects.toThrow('ENOENT');
});

test('a key that is there is never written over', async () => {
  await using closing = new AsyncDisposableStack();
  const first = await command(closing);
  await pageOf(first);
  await writeFile(keyFile(), 'mine');
  const { redirect } = createApp(github.world, await formOf(await pageOf(first)));
  expect((await fetch(redirect)).status).toBe(502);
  expect(await first.exited).toMatchObject({ code: 1 });
  const second = await spawnOwned(globalThis.process.execPath, [
    main,
    'https://proofmark.example.com',
    '--folder',
    folder,
  ]);
  expect(await second.exited).toMatchObject({ code: 1 });
  expect(second.log()).toContain(`Nothing is written over ${keyFile()}`);
  expect(await readFile(keyFile(), 'utf8')).toBe('mine');
});
