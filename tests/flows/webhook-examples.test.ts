import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type GithubServer, startGithub } from '../stack/github-server.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { patient, type RunningProduct, startRunningProduct } from './running-product.ts';

const Example = z.looseObject({
  repository: z
    .looseObject({ id: z.number(), full_name: z.string(), owner: z.looseObject({ id: z.number() }) })
    .nullish()
    .catch(null),
});
const Examples = z.array(z.object({ name: z.string(), examples: z.array(z.record(z.string(), z.unknown())) }));
const file = fileURLToPath(import.meta.resolve('@octokit/webhooks-examples'));
const deliveries = Examples.parse(JSON.parse(await readFile(file, 'utf8'))).flatMap(({ name, examples }) =>
  examples.map((payload) => ({ event: name, payload })),
);

let github: GithubServer;
let running: RunningProduct;

beforeAll(async () => {
  github = await startGithub();
  running = await startRunningProduct({ github, coordinatorEnv: { PROOFMARK_ALLOW_ADMIN_ENROLL: '1' } });
});
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
  await github?.stop();
});

const enrol = `mutation ($input: EnrollRepositoryInput!) { enrollRepository(input: $input) { __typename } }`;

test('every example of a webhook that GitHub publishes is taken and acted on without an error', patient, async () => {
  const host = new URL(github.serverUrl).host;
  const repositories = deliveries.flatMap(({ payload }) => Example.parse(payload).repository ?? []);
  // Of those that nobody has enrolled nothing is done, which would prove little.
  for (const { id, owner, full_name: fullName } of new Map(repositories.map((one) => [one.id, one])).values()) {
    await running.ask(enrol, { input: { host, repositoryId: String(id), ownerId: String(owner.id), fullName } });
  }
  github.webhooks.target = `${running.product.url}/webhooks/github`;
  const answers = new Map<string, number>();
  for (const { event, payload } of deliveries) {
    const delivery = await github.webhooks.send(event, payload);
    const answer = `${event} ${delivery?.status}`;
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
  }
  expect(deliveries.length).toBeGreaterThan(300);
  expect([...answers.keys()].filter((one) => !one.endsWith(' 202'))).toEqual([]);

  const due = () => running.rows<{ event: string }>("select event from webhook_deliveries where state = 'due'");
  // A commit in a merge queue is looked at again later; until then it is due without a fault.
  const isSettled = async () => (await due()).every(({ event }) => event === 'merge_group');
  await waitUntil(isSettled, { what: 'all were acted on', detail: running.product.coordinator.log });
  const faults = await running.rows(
    'select event, state, tries, reason from webhook_deliveries where reason is not null',
  );
  expect(faults).toEqual([]);
  const [acted] = await running.rows<{ count: number }>(
    'select count(*)::int as count from webhook_deliveries where event is not null',
  );
  expect(acted?.count).toBeGreaterThan(20);
  const lines = running.product.coordinator.log().split('\n');
  expect(lines.filter((line) => /"level":(?:50|60)/.test(line))).toEqual([]);
});
