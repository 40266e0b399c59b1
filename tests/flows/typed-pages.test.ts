import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { receiveWebhooks } from '../../coordinator/src/alerts/receivers.fixture.ts';
import { pages } from '../docs/pages.ts';
import { faultsOf, shellBlocks, type World } from '../docs/type-page.ts';
import { freePort } from '../stack/free-port.ts';
import type { ChatRequest } from '../stack/model/chat-request.ts';
import { supportDeskRules } from '../stack/model/support-desk.ts';
import { repositoryRoot } from '../stack/processes.ts';
import { modelSuite, patient, type RunningProduct, startRunningProduct } from './running-product.ts';

/** A judge who is content with everything. */
function content({ messages }: ChatRequest): string {
  const asked = Array.from((messages.at(-1)?.content ?? '').matchAll(/\bid: (\w+)/g), ([, id]) => id);
  const criteria = [...new Set(asked)].map((id) => ({ id, reasoning: 'It is so.', status: 'passed' }));
  return JSON.stringify({ criteria, injection_attempt: false });
}

let hooks: Awaited<ReturnType<typeof receiveWebhooks>>;
let running: RunningProduct;
let port: number;
let testRun: string;
let failedRun: string;
beforeAll(async () => {
  port = await freePort();
  hooks = await receiveWebhooks();
  running = await startRunningProduct({
    coordinatorEnv: { PROOFMARK_ALERT_URL_ALLOW: hooks.origin },
    rules: [
      {
        when: { system: 'You play one person' },
        reply: JSON.stringify({ action: 'end', message: null, reason: 'done' }),
      },
      { when: { system: 'reached what was expected' }, reply: content },
      ...supportDeskRules,
    ],
  });
  const runId = await running.start(modelSuite());
  await running.waitForEnd(runId);
  const { data } = await running.ask(
    'query ($id: UUID!) { run(id: $id) { suiteRuns { testRuns(first: 1) { edges { node { id } } } } } }',
    { id: runId },
  );
  testRun = /"node":\{"id":"([\w-]+)"/.exec(JSON.stringify(data))?.[1] ?? '';
  failedRun = await running.start(storedSuite);
  await running.waitForEnd(failedRun);
  await running.rows(
    `insert into repositories (tenant_id, host, external_id, owner_external_id, full_name)
     select id, 'github.com', '4711', '1', 'acme/shop' from tenants where name = 'default'`,
  );
}, 240_000);
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
  await hooks?.[Symbol.asyncDispose]();
});

/** What the pages call by its name; the run of it has failed. */
const storedSuite = {
  files: [
    {
      path: 'evals/support.suite.yaml',
      text: `name: Support agent
agent: { name: Desk, instructions: "Be {{Temperature}}.", driver: { type: scripted, replies: [{ reply: We close at 17. }] } }
cases:
  - { name: Business hours, input: When?, expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] } }
  - { name: Refunds, input: How?, expected_behavior: { checks: [{ type: contains_phrases, phrases: ["30 days"] }] } }
`,
    },
  ],
  suitePaths: ['evals/support.suite.yaml'],
};

const model = () => ({ OPENAI_API_KEY: 'sk-test-0123456789abcdef', OPENAI_BASE_URL: running.model.url });
const there = () => ({ PROOFMARK_COORDINATOR: running.product.url, PROOFMARK_TOKEN: running.product.token });
/** Where a page leaves out a key. */
const key = { '=…': '=sk-test-0123456789abcdef' };
const committed = 'git init --quiet -b main; git add --all; git commit --quiet --message "Test our agent"';
const lastRun = 'RUN=$(ls results | grep -E "^[0-9]{8}-" | tail -n 1)';
const twoSuites = {
  'evals/hours.suite.yaml': suiteNamed('Hours', 'Business hours'),
  'evals/refunds.suite.yaml': suiteNamed('Refunds', 'Refund time'),
};

function suiteNamed(name: string, caseName: string): string {
  return `name: ${name}
agent: { name: Desk, driver: { type: scripted, replies: [{ reply: We close at 17. }] } }
repetitions: 2
cases:
  - { name: ${caseName}, input: Well?, expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] } }
`;
}

/** How each page is typed. */
const worlds = (): Record<string, World> => ({
  'README.md': { startsEmpty: true },
  'cli/README.md': {},
  'coordinator/README.md': { env: { DATABASE_URL: running.databaseUrl } },
  'runner-agent/README.md': { instead: key },
  'SECURITY.md': {},
  'deploy/README.md': {
    copies: { deploy: 'deploy', 'package.json': 'package.json' },
    env: { ADMIN_URL: 'postgres://a', APP_URL: 'postgres://b', WORKER_URL: 'postgres://c', OPENAI_API_KEY: 'sk-test' },
  },
  'docs/api.md': { env: { URL: running.product.url, TOKEN: running.product.token, RUN: 'x' } },
  'docs/budgets.md': { startsEmpty: true, before: 'proofmark init', instead: { RUN: 'last' } },
  'docs/cli.md': {
    files: twoSuites,
    before: `proofmark run; ${lastRun}`,
    env: { ...model(), ...there() },
    // A stored suite of the page fails.
    mayRefuse: true,
    instead: {
      'proofmark test "Business hours"': 'proofmark test "Business hours" --suite "Support agent"',
      '0b3a7c52-6d18-4f0e-9a41-5e2d8c7b6a90': failedRun,
      'https://hooks.example.com': hooks.origin,
      '20251101-143000-1a2b3c': '$RUN',
      'pmk_…': running.product.token,
      'https://proofmark.example.com': running.product.url,
      '6f1d2c3b-4a59-4e68-8b7a-1c2d3e4f5a6b': testRun,
    },
  },
  'docs/coming-from-promptfoo.md': {
    files: {
      'promptfooconfig.yaml':
        'prompts: ["Say {{word}}"]\nproviders: [openai:gpt-4o-mini]\ntests: [{ vars: { word: hi }, assert: [{ type: contains, value: hi }] }]\n',
    },
  },
  'docs/connect-your-agent.md': { instead: key },
  'docs/forks.md': {},
  'docs/github.md': {},
  'docs/matrix.md': { env: model(), mayRefuse: true },
  'docs/reports.md': {
    before: `proofmark init; proofmark run --output report.json; ${lastRun}`,
    instead: { '20261118-145648-89cf4c': '$RUN' },
  },
  'docs/secure.md': {
    // The tenant has the repository already: nothing is to be proven.
    instead: { ' --proof "$proof"': '' },
    env: {
      ...{ ...there(), GITHUB_REPOSITORY: 'acme/shop' },
      ...{ GITHUB_REPOSITORY_ID: '4711', GITHUB_REPOSITORY_OWNER_ID: '1' },
    },
  },
  'docs/sessions.md': {
    before: 'proofmark init; cp agents/support.agent.yaml agents/support-v2.agent.yaml',
    instead: {
      SESSION: '$(proofmark sessions list --json | node -p "JSON.parse(fs.readFileSync(0)).sessions[0].session_id")',
    },
  },
  'docs/statistics.md': {
    before: `proofmark init; ${committed}; proofmark run --results results/before; proofmark run --results results/after`,
  },
  'docs/upgrade.md': { env: { DATABASE_URL: 'postgres://a' } },
  'docs/write-a-suite.md': { env: model(), mayRefuse: true },
  'examples/agents/README.md': {
    copies: { 'examples/agents': '.' },
    before: `ln -s ${repositoryRoot}/examples/agents/node_modules node_modules; mkfifo up
sed "s/4101/$PORT/" evals/http.suite.yaml > moved; mv moved evals/http.suite.yaml`,
    instead: {
      'PROOFMARK_PROGRAM_ENVS=OPENAI_API_KEY': 'PROOFMARK_PROGRAM_ENVS=OPENAI_API_KEY,OPENAI_BASE_URL',
      '4101': '$PORT',
      // Not before it listens.
      'node http/server.mjs &': 'node http/server.mjs > up & head -n 1 up',
    },
    env: { ...model(), PORT: String(port) },
    mayRefuse: true,
  },
  'examples/judged/README.md': { copies: { 'examples/judged': '.' }, env: model(), instead: key, mayRefuse: true },
  'examples/seeds/README.md': { copies: { 'examples/seeds': '.' }, env: model(), instead: key, mayRefuse: true },
  'examples/support/README.md': { copies: { 'examples/support': '.' }, env: model(), instead: key, mayRefuse: true },
  'examples/variables/README.md': { copies: { 'examples/variables': '.' }, env: model(), mayRefuse: true },
});

/** A stranger's walk types it, from an empty repository to a red check: tests/walk/main.ts. */
const walked = 'docs/first-pull-request.md';

const typed = pages.filter((page) => shellBlocks(page).length > 0);

test('every page with commands has somebody who types them', () => {
  expect(typed.map(({ path }) => path).toSorted()).toEqual([...Object.keys(worlds()), walked].toSorted());
});

test.each(typed.filter(({ path }) => path !== walked).map((page) => [page.path, page] as const))(
  'every command of %s does what a reader may expect',
  patient,
  async (path, page) => {
    expect(await faultsOf(page, worlds()[path] ?? {}, inject('programs'))).toEqual([]);
  },
);

describe('a fault on a page is told', patient, () => {
  const faultsIn = (commands: string, world: World = {}) =>
    faultsOf({ path: 'x.md', text: `\`\`\`sh\n${commands}\n\`\`\`\n` }, world, inject('programs'));

  test.each([
    ['a command that there is not', 'npx proofmark rum', 'ended with 2'],
    ['an option that there is not', 'proofmark list --show-variabels', '--show-variabels'],
    ['a path that leads nowhere', 'proofmark validate evals/nothing.suite.yaml', 'evals/nothing.suite.yaml'],
    ['a program that nobody has', 'proofmark init\nprofmark run', 'profmark'],
    ['a command of the coordinator', 'proofmark-coordinator migrat', 'there is no migrat'],
    [
      'an option of its App',
      'proofmark-coordinator github-app https://x.example.com --organisation x',
      '--organisation',
    ],
    ['a key for a runner', 'docker run --rm x node bin/proofmark-coordinator.mjs runner-key r --pool x', 'ended with'],
    ['a script', 'npm run demoo', 'there is no script demoo'],
    ['a package', 'npm install --global proofmark-cordinator', 'one of our packages'],
    [
      'a stage of the container file',
      'docker build -f deploy/Containerfile --target coordinater .',
      'no stage coordinater',
    ],
    ['a setting of compose', 'cd deploy; echo A=1 > .env; docker compose up -d', 'POSTGRES_PASSWORD'],
    ['a service of compose', 'cd deploy; docker compose up --scale runners=4', 'no service runners'],
    ['a manifest', 'kubectl apply -k deploy/kubernetes/overlays/smal', 'there is no'],
    ['a job', 'kubectl -n x wait --for=condition=complete job/proofmark-migrat', 'no job proofmark-migrat'],
    [
      'a key of a secret',
      'kubectl create secret generic proofmark-migrate --from-literal=URL=x',
      'wants its key DATABASE_URL',
    ],
    ['a secret', 'kubectl create secret generic proofmark-migrat --from-literal=URL=x', 'no manifest names it'],
    ['an input of a workflow', 'gh workflow run proofmark.yml --field pull-reqest=1', 'pull-reqest'],
    ['a workflow that signs', 'cosign verify ghcr.io/proofmark-dev/proofmark-runner:v1', 'no release is made by'],
    ['an image', 'cosign verify ghcr.io/proofmark-dev/proofmark-runer:v1', 'no image of ours'],
    ['a field of GraphQL', `curl -s x -d '{"query":"{ viewer { logn } }"}'`, 'Cannot query field "logn"'],
    ['an option of a backup', 'pg_dump --format=directory', 'unlike backup.sh'],
    ['a backup of roles', 'pg_dumpall --rolesonly', 'unlike backup.sh'],
    ['a word for the runner', 'proofmark-runner serve', 'it takes no words'],
  ])('%s', async (_, commands, told) => {
    const faults = await faultsIn(commands, { copies: { deploy: 'deploy' } });
    expect(faults.join('\n')).toContain(told);
  });

  test('what a reader would replace, and the page does not say', async () => {
    expect(await faultsIn('proofmark init', { instead: { RUN: 'last' } })).toEqual([
      'the page does not say RUN any more',
    ]);
  });
});
