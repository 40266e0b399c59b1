import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runAction } from '../stack/github/run-action.ts';
import { regressingRun, runId, startDouble } from './action-double.ts';
import { baseSha, bundle, headSha, makeStep, pullRequestEvent } from './action-job.ts';

test('D-05 D-06 a pull request is one run of the files at its head, and with the App the job stays green', async () => {
  await using coordinator = await startDouble(regressingRun());
  const { environment } = await makeStep({
    eventName: 'pull_request',
    payload: pullRequestEvent(),
    inputs: { coordinator: `${coordinator.url}/` },
    env: coordinator.idToken,
  });
  const { exitCode, outputs, state, summary, log } = await runAction(bundle('index'), environment);
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
  expect(log).toContain('34/50 cases\n50/50 cases');
  expect(log.trimEnd().split('\n').at(-1)).toBe('Proofmark: Regressed by 12.0 points');
});
