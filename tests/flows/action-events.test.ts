import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { listen } from '../stack/listen.ts';
import { type CoordinatorDouble, regressingRun, startDouble } from './action-double.ts';
import { baseSha, headSha, pullRequestEvent, pushEvent, runStep, suite } from './action-job.ts';

function expectNoRequest(coordinator: CoordinatorDouble): void {
  expect(coordinator.requests).toEqual([]);
  expect(coordinator.audiences).toEqual([]);
}

test.for(['pull_request_target', 'workflow_run', 'issue_comment', 'release'])(
  'the event %s is refused before any request, also with fail-on never',
  async (eventName) => {
    await using coordinator = await startDouble(regressingRun());
    const { exitCode, outputs, log } = await runStep({
      eventName,
      payload: pullRequestEvent(),
      inputs: { coordinator: coordinator.url, 'fail-on': 'never' },
      env: coordinator.idToken,
    });
    expect(exitCode, log).toBe(1);
    expect(log).toContain(`Event ${eventName} is not supported`);
    expect(outputs).toMatchObject({ outcome: '', 'run-id': '' });
    expectNoRequest(coordinator);
  },
);

test.for([
  ['push', pushEvent('feature'), 'refs/heads/feature'],
  ['push', { ...pushEvent('v1'), ref: 'refs/tags/v1' }, 'refs/tags/v1'],
  ['push', { ...pushEvent('main'), deleted: true }, 'refs/heads/main'],
  ['pull_request', pullRequestEvent({ action: 'closed' }), 'refs/pull/12/merge'],
] as const)('%s that has nothing to evaluate exits 0 without any request: %#', async ([eventName, payload, ref]) => {
  await using coordinator = await startDouble(regressingRun());
  const options = { eventName, payload, ref, inputs: { coordinator: coordinator.url }, env: coordinator.idToken };
  const { exitCode, log } = await runStep(options);
  expect(exitCode, log).toBe(0);
  expect(log).toContain('::notice::');
  expectNoRequest(coordinator);
});

test('a push to the default branch and to a baseline branch is a run of that commit', async () => {
  await using coordinator = await startDouble(regressingRun());
  for (const branch of ['main', 'release']) {
    await runStep({
      eventName: 'push',
      payload: pushEvent(branch),
      ref: `refs/heads/${branch}`,
      files: { 'proofmark.yaml': 'baseline_branches: [release]\n' },
      inputs: { coordinator: coordinator.url },
      env: coordinator.idToken,
    });
  }
  const started = coordinator.requests.filter(({ operation }) => operation === 'StartRun');
  expect(started.map(({ variables }) => variables.input)).toMatchObject([
    { trigger: { event: 'push', ref: 'refs/heads/main', headSha, pullRequest: null } },
    { trigger: { event: 'push', ref: 'refs/heads/release', headSha, pullRequest: null } },
  ]);
});

test.for([
  ['Fork', pullRequestEvent({ headRepositoryId: 99 })],
  ['Fork', pullRequestEvent({ headRepositoryId: null })],
  ['Dependabot', pullRequestEvent({ user: 'dependabot[bot]' })],
] as const)('a %s pull request without a token gets one notice and no request: %#', async ([origin, payload]) => {
  await using coordinator = await startDouble(regressingRun());
  const { exitCode, outputs, log } = await runStep({
    eventName: 'pull_request',
    payload,
    inputs: { coordinator: coordinator.url, 'fail-on': 'neutral' },
  });
  expect(exitCode, log).toBe(0);
  expect(log).toContain(`::notice::${origin} pull request: no token in this job.`);
  expect(outputs.outcome).toBe('awaiting-approval');
  expectNoRequest(coordinator);
});

test('a fork with a token of its own is run, and the coordinator is told that it is one', async () => {
  await using coordinator = await startDouble(regressingRun());
  const inputs = { coordinator: coordinator.url, 'api-token': 'pmk_0123456789abcdef' };
  for (const headRepositoryId of [99, undefined]) {
    const payload = pullRequestEvent(headRepositoryId === undefined ? {} : { headRepositoryId });
    const { log } = await runStep({ eventName: 'pull_request', payload, inputs });
    expect(
      coordinator.requests.map(({ operation }) => operation),
      log,
    ).toContain('StartRun');
  }
  const started = coordinator.requests.filter(({ operation }) => operation === 'StartRun');
  expect(started.map(({ variables }) => variables.input)).toMatchObject([
    { trigger: { pullRequest: 12, isFork: true } },
    { trigger: expect.not.objectContaining({ isFork: expect.anything() }) },
  ]);
});

test('a job without id-token permission is told which lines to add', async () => {
  await using coordinator = await startDouble(regressingRun());
  const inputs = { coordinator: coordinator.url };
  const step = { eventName: 'pull_request', payload: pullRequestEvent(), inputs };
  const { exitCode, log, environment } = await runStep(step);
  expect(exitCode, log).toBe(1);
  expect(log).toContain('%0Apermissions:%0A  contents: read%0A  id-token: write');
  const summary = await readFile(environment.GITHUB_STEP_SUMMARY ?? '', 'utf8');
  expect(summary).toMatch(/^### Proofmark: nothing was judged\n\n- /);
  expect(summary).toContain('\npermissions:\n  contents: read\n  id-token: write\n');
  expectNoRequest(coordinator);
});

test('an api token is not sent to an address that stands in a file of the pull request', async () => {
  await using coordinator = await startDouble(regressingRun());
  const { exitCode, log } = await runStep({
    eventName: 'pull_request',
    payload: pullRequestEvent(),
    files: { 'proofmark.yaml': `coordinator: ${coordinator.url}\n` },
    inputs: { 'api-token': 'pmk_0123456789abcdef' },
    env: coordinator.idToken,
  });
  expect(exitCode, log).toBe(1);
  expect(log).toContain('api-token needs the input coordinator');
  expectNoRequest(coordinator);
});

test('an api token is used instead of OIDC', async () => {
  await using coordinator = await startDouble(regressingRun());
  const { exitCode, log } = await runStep({
    eventName: 'pull_request',
    payload: pullRequestEvent(),
    inputs: { coordinator: coordinator.url, 'api-token': 'pmk_0123456789abcdef', report: 'app' },
    env: coordinator.idToken,
  });
  expect(exitCode, log).toBe(0);
  expect(new Set(coordinator.requests.map(({ authorization }) => authorization))).toEqual(
    new Set(['Bearer pmk_0123456789abcdef']),
  );
  expect(coordinator.audiences).toEqual([]);
});

test('every input that means nothing is named with what is allowed, all at once and before any request', async () => {
  await using coordinator = await startDouble(regressingRun());
  const { exitCode, log, summary } = await runStep({
    eventName: 'pull_request',
    payload: pullRequestEvent(),
    inputs: {
      coordinator: 'http://example.com',
      'fail-on': 'sometimes',
      repetitions: 'many',
      variables: 'no equals sign',
    },
    env: coordinator.idToken,
  });
  expect(exitCode).toBe(1);
  expect(log).toContain('Input coordinator: must be an https URL');
  expect(log).toContain("Input fail-on: 'sometimes' is not one of auto, never, error, failure, neutral");
  expect(log).toContain("Input repetitions: 'many' is not a whole number from 1 to 100");
  expect(log).toContain("Input variables: 'no equals sign' is not of the form NAME=VALUE");
  expect(summary).toMatch(/^### Proofmark: nothing was judged\n/);
  expect(summary).toContain('repetitions');
  expectNoRequest(coordinator);
});

test('D-05 a definition that does not parse is marked on its line and starts nothing', async () => {
  await using coordinator = await startDouble(regressingRun());
  const { exitCode, outputs, log } = await runStep({
    eventName: 'pull_request',
    payload: pullRequestEvent(),
    files: { 'evals/broken.suite.yaml': suite.replace('Support agent', 'Other').replace('cases:', 'casse:') },
    inputs: { coordinator: coordinator.url },
    env: coordinator.idToken,
  });
  expect(exitCode, log).toBe(1);
  expect(outputs).toMatchObject({ outcome: 'invalid', conclusion: 'failure' });
  expect(log).toMatch(/::error title=[^,]*,file=evals\/broken\.suite\.yaml,line=6::/);
  expect(log).toMatch(/Proofmark: Invalid definition: \d problem/);
  const started = coordinator.requests.filter(({ operation }) => operation === 'StartRun');
  expect(started.map(({ variables }) => variables.input)).toMatchObject([
    { files: [], suitePaths: [], trigger: { headSha }, invalid: [{ file: 'evals/broken.suite.yaml', line: 6 }] },
  ]);
});

test('D-16 no suite at all is invalid, never a silent pass', async () => {
  await using coordinator = await startDouble(regressingRun());
  const { exitCode, outputs, log } = await runStep({
    eventName: 'pull_request',
    payload: pullRequestEvent(),
    inputs: { coordinator: coordinator.url, suites: 'nowhere/**/*.suite.yaml' },
    env: coordinator.idToken,
  });
  expect(exitCode, log).toBe(1);
  expect(outputs.outcome).toBe('invalid');
  expect(log.trimEnd()).toMatch(/Proofmark: No suite matches the patterns$/);
  const started = coordinator.requests.filter(({ operation }) => operation === 'StartRun');
  expect(started.map(({ variables }) => variables.input)).toMatchObject([
    { files: [], invalid: [{ file: '', message: 'No suite matches the patterns' }] },
  ]);
});

test('globs choose the suites, ! leaves some out, and paths start at the root', async () => {
  await using coordinator = await startDouble(regressingRun());
  const files = {
    'services/a/one.suite.yaml': suite.replace('Support agent', 'One'),
    'services/a/two.suite.yaml': suite.replace('Support agent', 'Two'),
    'services/a/node_modules/x/three.suite.yaml': suite.replace('Support agent', 'Three'),
  };
  await runStep({
    eventName: 'pull_request',
    payload: pullRequestEvent(),
    files,
    inputs: { coordinator: coordinator.url, 'working-directory': 'services', suites: '**/*.suite.yaml\n!a/two*' },
    env: coordinator.idToken,
  });
  expect(coordinator.requests[1]?.variables.input).toMatchObject({ suitePaths: ['services/a/one.suite.yaml'] });
});

test.for([
  [headSha, 0],
  ['d'.repeat(40), 1],
] as const)(
  'a dispatch evaluates the pull request that was named only while its head is still %s',
  async ([head, expected]) => {
    await using coordinator = await startDouble(regressingRun());
    const asked: string[] = [];
    const github = await listen(
      createServer((request, response) => {
        asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
        const pull = { number: 12, head: { sha: head }, base: { sha: baseSha }, user: { login: 'mallory' } };
        response.setHeader('content-type', 'application/json').end(JSON.stringify(pull));
      }),
    );
    const { exitCode, log } = await runStep({
      eventName: 'workflow_dispatch',
      payload: { inputs: {}, repository: { id: 4711, default_branch: 'main' } },
      ref: 'refs/heads/main',
      inputs: {
        coordinator: coordinator.url,
        'api-token': 'pmk_0123456789abcdef',
        report: 'app',
        'pull-request': '12',
        'head-sha': headSha,
      },
      env: { GITHUB_API_URL: github.origin },
    });
    await github.close();
    expect(exitCode, log).toBe(expected);
    expect(asked).toEqual(['GET /repos/acme/shop/pulls/12 token ghs_job-token-0123456789']);
    const started = coordinator.requests.filter(({ operation }) => operation === 'StartRun');
    expect(started.map(({ variables }) => variables.input)).toMatchObject(
      expected === 0 ? [{ trigger: { event: 'workflow_dispatch', pullRequest: 12, headSha, baseSha } }] : [],
    );
  },
);
