import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { runAction } from '../stack/github/run-action.ts';
import { listen } from '../stack/listen.ts';
import { spawnOwned } from '../stack/owned-process.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { regressingRun, runId, startDouble } from './action-double.ts';
import { baseSha, bundle, headSha, makeStep, pullRequestEvent, runStep } from './action-job.ts';

const pullRequest = { eventName: 'pull_request', payload: pullRequestEvent() };

test('D-05 D-06 a pull request is one run of the files at its head, and with the App the job stays green', async () => {
  await using coordinator = await startDouble(regressingRun());
  const { exitCode, outputs, state, summary, log } = await runStep({
    ...pullRequest,
    inputs: { coordinator: `${coordinator.url}/` },
    env: coordinator.idToken,
  });
  expect(exitCode, log).toBe(0);
  expect(coordinator.requests.map(({ operation }) => operation)).toEqual([
    'ExchangeToken',
    'StartRun',
    'RunProgress',
    'RunProgress',
    'RunProgress',
    'RunReport',
    'SuiteRunReport',
  ]);
  expect(coordinator.audiences).toEqual([coordinator.url]);
  expect(coordinator.requests[0]?.authorization).toBe('Bearer oidc-token-1+/=');
  expect(coordinator.requests[1]?.authorization).toBe('Bearer pmr_run-token+/=');
  expect(coordinator.requests[1]?.variables.input).toMatchObject({
    idempotencyKey: `gha:github.com:4711:8800000001:2:${headSha}:proofmark`,
    trigger: { triggeredBy: 'CI', event: 'pull_request', headSha, baseSha, pullRequest: 12 },
    suitePaths: ['evals/support.suite.yaml'],
  });
  expect(outputs).toMatchObject({
    'run-id': runId,
    'run-url': `${coordinator.url}/runs/${runId}`,
    verdict: 'regressed',
    outcome: 'regressed',
    conclusion: 'failure',
    'pass-rate': '82.0',
    'baseline-pass-rate': '94.0',
    delta: '-12.0',
    'regressed-count': '1',
    'errored-count': '0',
    'cost-usd': '0.4200',
    'execution-mode': 'coordinator',
    'report-mode': 'app',
  });
  expect(JSON.parse(await readFile(outputs['results-path'] ?? '', 'utf8'))).toMatchObject({ run_id: runId });
  expect(state).toMatchObject({ 'run-id': runId });
  expect(summary).toContain('### Proofmark: Regressed');
  expect(log).toContain('34/50 test runs\n50/50 test runs');
  expect(log.trimEnd().split('\n').at(-1)).toBe('Proofmark: Regressed by 12.0 points');
});

test('without the App a regression makes the job red and stands on the lines of the suite, without a word of a model', async () => {
  await using coordinator = await startDouble(regressingRun({ reporting: 'NONE' }));
  const { exitCode, outputs, log } = await runStep({
    ...pullRequest,
    inputs: { coordinator: coordinator.url },
    env: coordinator.idToken,
  });
  expect(exitCode, log).toBe(1);
  expect(outputs['report-mode']).toBe('summary');
  expect(log).toContain('::warning::The check proofmark cannot be written: no answer from GitHub');
  expect(log).toContain('file=evals/support.suite.yaml,line=4::llm_judge did not pass: see the summary of the job.');
  expect(log).not.toContain('the judge wrote');
});

test.for([
  ['never', 0],
  ['error', 0],
  ['failure', 1],
  ['neutral', 1],
] as const)('fail-on %s after a failed check exits %i', async ([failOn, expected]) => {
  await using coordinator = await startDouble(regressingRun());
  const { exitCode, log } = await runStep({
    ...pullRequest,
    inputs: { coordinator: coordinator.url, 'fail-on': failOn },
    env: coordinator.idToken,
  });
  expect(exitCode, log).toBe(expected);
});

test('S4-74 variables, matrix, selection and settings reach the coordinator as they were typed', async () => {
  await using coordinator = await startDouble(regressingRun());
  await runStep({
    ...pullRequest,
    inputs: {
      coordinator: coordinator.url,
      variables: 'Temperature=0.2\nGreeting=a=b, c\n',
      matrix: 'AIConfiguration=gpt-4o, local\nTemperature=0,1',
      preset: 'fast',
      cases: 'Business hours\n  Refund  \n',
      tags: 'edge-case',
      difficulty: 'hard',
      repetitions: '5',
      'min-pass-rate': '90',
      'on-error': 'allow',
      comment: 'always',
      'comment-key': 'nightly',
      'check-name': 'agents',
      baseline: 'none',
    },
    env: coordinator.idToken,
  });
  expect(coordinator.requests[1]?.variables.input).toMatchObject({
    idempotencyKey: expect.stringMatching(/:agents$/),
    assignments: [
      { name: 'Temperature', text: '0.2' },
      { name: 'Greeting', text: 'a=b, c' },
    ],
    matrix: [
      { name: 'AIConfiguration', values: ['gpt-4o', 'local'] },
      { name: 'Temperature', values: ['0', '1'] },
    ],
    preset: 'fast',
    selection: { cases: ['Business hours', 'Refund'], tags: ['edge-case'], difficulty: 'hard', suites: [] },
    repetitions: 5,
    settings: {
      onError: 'ALLOW',
      comment: 'ALWAYS',
      commentKey: 'nightly',
      checkName: 'agents',
      minPassRate: 90,
      baseline: 'NONE',
    },
  });
});

test('wait: false leaves once the run is accepted', async () => {
  await using coordinator = await startDouble(regressingRun());
  const { exitCode, outputs, log, summary } = await runStep({
    ...pullRequest,
    inputs: { coordinator: coordinator.url, wait: 'false' },
    env: coordinator.idToken,
  });
  expect(exitCode, log).toBe(0);
  expect(outputs).toMatchObject({ outcome: 'pending', 'run-id': runId, 'report-mode': 'app' });
  expect(summary).toBe(
    `### Proofmark: the run goes on without this job\n\n[The run](${coordinator.url}/runs/${runId})\n`,
  );
  expect(coordinator.requests.map(({ operation }) => operation)).toEqual(['ExchangeToken', 'StartRun']);
});

test.for([
  ['APP', 0],
  ['NONE', 1],
] as const)(
  'after timeout-minutes the run goes on; with reporting %s the job exits %i',
  async ([reporting, expected]) => {
    await using coordinator = await startDouble({
      ...regressingRun({ reporting }),
      RunProgress: () => ({
        data: {
          run: {
            status: 'RUNNING',
            totalCases: 9,
            openCases: 9,
            totalSuiteRuns: 2,
            finishedSuiteRuns: 0,
            poolsWithoutRunners: [],
          },
        },
      }),
    });
    const { exitCode, outputs, log } = await runStep({
      ...pullRequest,
      inputs: { coordinator: coordinator.url, 'timeout-minutes': '0.01' },
      env: coordinator.idToken,
    });
    expect(exitCode, log).toBe(expected);
    expect(outputs.outcome).toBe('pending');
    expect(log.match(/0\/9 test runs, 0 of 2 suite runs done/g)).toHaveLength(1);
  },
);

test('a coordinator that goes away in the middle is waited for', async () => {
  const answers = regressingRun();
  await using coordinator = await startDouble({
    ...answers,
    RunProgress: (request, nth) => (nth === 1 ? 'hang up' : (answers.RunProgress?.(request, nth) ?? { errors: [] })),
  });
  const { exitCode, outputs, log } = await runStep({
    ...pullRequest,
    inputs: { coordinator: coordinator.url },
    env: coordinator.idToken,
  });
  expect(exitCode, log).toBe(0);
  expect(outputs.outcome).toBe('regressed');
  expect(log).toContain('Waiting for the coordinator: ');
});

test.for([
  ['block', 1, 'error'],
  ['allow', 0, 'warning'],
] as const)(
  'a coordinator that nobody reaches is tried again; then on-error %s exits %i',
  async ([onError, expected, level]) => {
    await using coordinator = await startDouble({ ExchangeToken: () => 'hang up' });
    const { exitCode, log } = await runStep({
      ...pullRequest,
      inputs: { coordinator: coordinator.url, 'on-error': onError },
      env: { ...coordinator.idToken, PROOFMARK_RETRY_MS: '2500' },
    });
    expect(exitCode, log).toBe(expected);
    expect(log).toContain(`::${level}::The run was not started (UNREACHABLE)`);
    // Every try of the exchange has a token of its own: one is accepted only once.
    expect(coordinator.requests.length).toBeGreaterThan(1);
    expect(coordinator.audiences).toHaveLength(coordinator.requests.length);
  },
);

test('definitions that the coordinator refuses are marked on their lines', async () => {
  const problem = { severity: 'error', code: 'unknown_variable', file: 'evals/support.suite.yaml', line: 7 };
  const startRun = {
    __typename: 'InvalidDefinitions',
    code: 'INVALID_DEFINITIONS',
    message: '1 problem in 1 file',
    problems: [{ ...problem, column: 3, path: 'cases.0.input', message: 'There is no variable Day', hint: null }],
  };
  await using coordinator = await startDouble({ ...regressingRun(), StartRun: () => ({ data: { startRun } }) });
  const { exitCode, outputs, log } = await runStep({
    ...pullRequest,
    inputs: { coordinator: coordinator.url },
    env: coordinator.idToken,
  });
  expect(exitCode, log).toBe(1);
  expect(outputs.outcome).toBe('invalid');
  expect(log).toContain('file=evals/support.suite.yaml,line=7::There is no variable Day (at cases.0.input)');
});

test('a job that joins the run of another, and one whose check another workflow hides, are told so (1.6.5)', async () => {
  const message = 'Another workflow has sent other suites [duplicate_check_name]';
  const place = { code: 'duplicate', line: 1, column: 1, path: '', message, hint: null };
  const inFile = { ...place, severity: 'warning', file: 'evals/support.suite.yaml', message: 'told when it was read' };
  const answers = regressingRun();
  await using coordinator = await startDouble({
    ...answers,
    StartRun: () => {
      const started = { __typename: 'StartRunSuccess', created: false, dispatch: 'IMMEDIATE', reporting: 'APP' };
      const warnings = [{ ...place, severity: 'warning', file: '' }, inFile];
      return { data: { startRun: { ...started, warnings, run: { id: runId } } } };
    },
  });
  const { log } = await runStep({ ...pullRequest, inputs: { coordinator: coordinator.url }, env: coordinator.idToken });
  expect(log).toContain(`Run ${runId} was accepted before; joining it.`);
  expect(log).toContain(`::warning title=Proofmark%3A duplicate::${message}`);
  expect(log).not.toContain('told when it was read');
});

test('two steps that send different suites under one check name are told to use two (1.6.5)', async () => {
  const startRun = {
    __typename: 'IdempotencyConflict',
    code: 'IDEMPOTENCY_CONFLICT',
    message: 'This idempotency key belongs to a run with other input.',
    runId,
  };
  await using coordinator = await startDouble({ ...regressingRun(), StartRun: () => ({ data: { startRun } }) });
  const { exitCode, log } = await runStep({
    ...pullRequest,
    inputs: { coordinator: coordinator.url, 'check-name': 'agents' },
    env: coordinator.idToken,
  });
  expect(exitCode, log).toBe(1);
  expect(log).toContain(
    `under the check name agents, so this one was not run: give each of them a check-name of its own.`,
  );
  expect(log).toContain(`(run ${runId}) [duplicate_check_name]`);
  expect(coordinator.requests.map(({ operation }) => operation)).toEqual(['ExchangeToken', 'StartRun']);
});

test.for([
  [50, 0],
  [600_000, 1],
] as const)(
  'a coordinator that has too much to do is asked again in %i ms, unless that is too late: exit %i',
  async ([retryAfterMs, expected]) => {
    const answers = regressingRun();
    const busy = { __typename: 'RateLimited', code: 'RATE_LIMITED', message: 'Too much is going on.', retryAfterMs };
    await using coordinator = await startDouble({
      ...answers,
      StartRun: (request, nth) =>
        nth === 0 ? { data: { startRun: busy } } : (answers.StartRun?.(request, nth) ?? { errors: [] }),
    });
    const { exitCode, log } = await runStep({
      ...pullRequest,
      inputs: { coordinator: coordinator.url },
      env: coordinator.idToken,
    });
    expect(exitCode, log).toBe(expected);
    expect(coordinator.requests.filter(({ operation }) => operation === 'StartRun')).toHaveLength(
      expected === 0 ? 2 : 1,
    );
    expect(log).toContain('Too much is going on.');
  },
);

test('a cancelled job writes what it knows, and its clean-up cancels the run with a fresh token', async () => {
  await using coordinator = await startDouble({
    ...regressingRun(),
    RunProgress: () => ({
      data: {
        run: {
          status: 'RUNNING',
          totalCases: 9,
          openCases: 9,
          totalSuiteRuns: 1,
          finishedSuiteRuns: 0,
          poolsWithoutRunners: [],
        },
      },
    }),
  });
  const { environment } = await makeStep({
    ...pullRequest,
    inputs: { coordinator: coordinator.url },
    env: { ...coordinator.idToken, PROOFMARK_POLL_MS: '60000' },
  });
  const main = await spawnOwned(process.execPath, [bundle('index')], { env: environment });
  await main.wrote('0/9 test runs');
  main.signal('SIGINT');
  expect(await main.exited).toEqual({ code: 0, signal: null });
  expect(await readFile(environment.GITHUB_OUTPUT ?? '', 'utf8')).toContain('cancelled');
  expect(await readFile(environment.GITHUB_STEP_SUMMARY ?? '', 'utf8')).toContain('the job was cancelled');

  const post = await runAction(bundle('post'), {
    ...environment,
    'STATE_run-id': runId,
    'STATE_coordinator-url': coordinator.url,
    STATE_audience: coordinator.url,
  });
  expect(post.exitCode, post.log).toBe(0);
  await waitUntil(() => coordinator.requests.at(-1)?.operation === 'CancelRun', { what: 'the run is cancelled' });
  expect(coordinator.requests.at(-1)?.variables).toEqual({ id: runId });
  expect(coordinator.audiences).toHaveLength(2);
});

test('the clean-up of a job that started no run asks nobody', async () => {
  await using coordinator = await startDouble(regressingRun());
  const { environment } = await makeStep({ ...pullRequest, env: coordinator.idToken });
  const { exitCode } = await runAction(bundle('post'), environment);
  expect(exitCode).toBe(0);
  expect(coordinator.requests).toEqual([]);
});

/** Lets connections through, and remembers to whom; it knows the names that nobody else does. */
async function startProxy(names: Record<string, string>) {
  const asked: string[] = [];
  const server = createServer((_request, response) => void response.writeHead(501).end());
  server.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    const { hostname, port } = new URL(names[request.url ?? ''] ?? 'http://127.0.0.1:1');
    const there = connect(Number(port), hostname, () => socket.write('HTTP/1.1 200 Connection established\r\n\r\n'));
    there.pipe(socket).pipe(there);
    for (const one of [there, socket]) one.on('error', () => one.destroy());
  });
  const { origin, close } = await listen(server);
  return { origin, asked, [Symbol.asyncDispose]: close };
}

test('on a machine behind a proxy every request goes through it, also that of the clean-up', async () => {
  await using coordinator = await startDouble(regressingRun());
  await using proxy = await startProxy({ '127.0.0.2:80': coordinator.url, 'actions.example.com:80': coordinator.url });
  const inputs = { coordinator: 'http://127.0.0.2' };
  const env = {
    ...coordinator.idToken,
    ACTIONS_ID_TOKEN_REQUEST_URL: 'http://actions.example.com/oidc?api-version=2.0',
    http_proxy: proxy.origin,
  };
  const { exitCode, log, state, environment } = await runStep({ ...pullRequest, inputs, env });
  expect(exitCode, log).toBe(0);
  expect(state).toMatchObject({ 'run-id': runId });
  expect(proxy.asked).toContain('actions.example.com:80');
  expect(coordinator.requests.map(({ operation }) => operation)).toContain('RunReport');
  const states = Object.entries(state).map(([name, value]) => [`STATE_${name}`, value]);
  await runAction(bundle('post'), { ...environment, ...Object.fromEntries(states) });
  expect(coordinator.requests.map(({ operation }) => operation)).toContain('CancelRun');
});
