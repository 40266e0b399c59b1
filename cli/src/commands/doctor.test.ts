import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listen } from '../../../tests/stack/listen.ts';
import { commandIn, copyProject } from '../try-proofmark.fixture.ts';

/** Plays a provider and a coordinator, each as the path says: `/503/readyz` answers 503. */
const server = createServer((request, response) => {
  const [, status = '200', path = ''] = request.url?.split('/') ?? [];
  request.resume();
  const body =
    path === 'graphql' ? '{"errors":[{"message":"no","extensions":{"code":"UNAUTHENTICATED"}}]}' : 'starting\n';
  response.writeHead(Number(status), { 'content-type': 'application/json' }).end(body);
});
let at: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  at = await listen(server);
});
afterAll(() => at.close());

const model = (baseUrl: string) =>
  `ai_configurations:\n  mine: { provider: openai, model: small, base_url: "${baseUrl}" }\n`;

const askingSuite = `name: Asks a model
agent: { name: Desk, instructions: Help., ai_configuration: mine }
cases: [{ name: One, input: Well?, expected_behavior: { checks: [{ type: length, min: 1 }] } }]
`;

interface Planted {
  fixture: string;
  project?: () => string;
  args?: () => string[];
  token?: string;
  says: RegExp;
}

const planted: Record<string, Planted> = {
  'a definition with errors': {
    fixture: 'broken',
    says: /fault {2}definitions: 2 errors: `proofmark validate` lists them/,
  },
  'a key that is not set': {
    fixture: 'shop',
    project: () => 'ai_configurations:\n  mine: { provider: openai, model: small, api_key_env: SURELY_NOT_SET_KEY }\n',
    says: /fault {2}models: mine: SURELY_NOT_SET_KEY is not a model key that this runner may use.*PROOFMARK_KEY_ENVS/,
  },
  'a model server that is away': {
    fixture: 'shop',
    project: () => model('http://127.0.0.1:1/v1'),
    says: /fault {2}models: mine: Nobody answers at http:\/\/127\.0\.0\.1:1\/v1 \(.*correct base_url/,
  },
  'a model server that wants another key': {
    fixture: 'shop',
    project: () => model(`${at.origin}/401`),
    says: /fault {2}models: mine: The provider at 127\.0\.0\.1:\d+ does not accept the key \(401\): correct OPENAI_API_KEY/,
  },
  'a coordinator that is away': {
    fixture: 'shop',
    args: () => ['--coordinator', 'http://127.0.0.1:1'],
    says: /fault {2}coordinator: Nobody answers at http:\/\/127\.0\.0\.1:1: start the coordinator/,
  },
  'a coordinator that is not ready': {
    fixture: 'shop',
    args: () => ['--coordinator', `${at.origin}/503`],
    says: /fault {2}coordinator: .* is not ready: starting\. `proofmark-coordinator doctor` says more/,
  },
  'an address that is no coordinator': {
    fixture: 'shop',
    args: () => ['--coordinator', `${at.origin}/404`],
    says: /fault {2}coordinator: .* answers 404 to \/readyz, and is no coordinator/,
  },
  'a token that nobody set': {
    fixture: 'shop',
    args: () => ['--coordinator', `${at.origin}/200`],
    says: /fault {2}coordinator: PROOFMARK_TOKEN is not set/,
  },
  'a token that the coordinator does not know': {
    fixture: 'shop',
    token: 'pmk_hunter2',
    args: () => ['--coordinator', `${at.origin}/200`],
    says: /fault {2}coordinator: The coordinator does not know the token of PROOFMARK_TOKEN/,
  },
};

test('the page lists each of them', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/doctor.md'), 'utf8');
  const [, list = ''] = page.split(/^## In a project$/m);
  expect(Array.from(list.matchAll(/^- (.+)$/gm), ([, fault]) => fault)).toEqual(Object.keys(planted));
});

test.for(Object.entries(planted))('%s is named, with what to do', async ([, fault]) => {
  await using project = await copyProject(fault.fixture);
  if (fault.project !== undefined) {
    await writeFile(join(project.folder, 'proofmark.yaml'), fault.project());
    await writeFile(join(project.folder, 'evals/asks.suite.yaml'), askingSuite);
  }
  const environment = fault.token === undefined ? {} : { PROOFMARK_TOKEN: fault.token };
  const { code, stdout } = await commandIn(project.folder, ['doctor', ...(fault.args?.() ?? [])], environment);
  expect(stdout).toMatch(fault.says);
  expect(stdout).not.toContain('hunter2');
  expect(code).toBe(2);
});

test('a model that no suite asks so far is a doubt, as in a project that has just begun', async () => {
  await using project = await copyProject();
  await commandIn(project.folder, ['init']);
  const { code, stdout } = await commandIn(project.folder, ['doctor'], { OPENAI_API_KEY: '' });
  expect(stdout).toMatch(/^doubt {2}models: .*OPENAI_API_KEY is not set.*\. No suite here asks a model so far$/m);
  expect(code).toBe(0);
});

test('a project without faults is sound', async () => {
  await using project = await copyProject('shop');
  const file = join(project.folder, 'proofmark.yaml');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('model: gpt-4o,', `model: gpt-4o, base_url: "${at.origin}/200",`));
  expect(await commandIn(project.folder, ['doctor'])).toMatchObject({
    code: 0,
    stdout: 'ok     definitions\nok     models\n',
  });
  const { stdout } = await commandIn(project.folder, ['doctor', '--json']);
  expect(JSON.parse(stdout)).toEqual({ sound: true, found: [] });
});
