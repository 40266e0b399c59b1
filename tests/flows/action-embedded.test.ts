import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { pullRequestEvent, pushEvent, runStep, suite } from './action-job.ts';

const pullRequest = { eventName: 'pull_request', payload: pullRequestEvent() };

test('without a coordinator the cases run inside the job, and what is not compared is not called unchanged', async () => {
  const { exitCode, outputs, summary, log } = await runStep(pullRequest);
  expect(exitCode, log).toBe(0);
  expect(outputs).toMatchObject({
    'run-id': 'gha-8800000001-2-proofmark',
    'run-url': '',
    outcome: 'no-baseline',
    verdict: 'no-baseline',
    conclusion: 'neutral',
    'pass-rate': '100.0',
    'baseline-pass-rate': '',
    delta: '',
    'suites-total': '1',
    'execution-mode': 'embedded',
    'report-mode': 'summary',
  });
  expect(log).toContain('1/1 cases');
  expect(log).toContain('nothing is compared with the base yet');
  expect(summary).toContain('### Proofmark: ');
  const results = JSON.parse(await readFile(outputs['results-path'] ?? '', 'utf8'));
  expect(results).toMatchObject({ outcome: 'no-baseline', suites: [{ suite: 'Support agent' }] });
  expect(JSON.parse(await readFile(results.suites[0].report_path, 'utf8'))).toMatchObject({ summary: {} });
});

test('below the minimum the job is red, and the case is marked on its line', async () => {
  const { exitCode, outputs, log } = await runStep({
    ...pullRequest,
    files: { 'evals/support.suite.yaml': suite.replace('["9"]', '["midnight"]') },
    inputs: { 'min-pass-rate': '90' },
  });
  expect(exitCode, log).toBe(1);
  expect(outputs).toMatchObject({ outcome: 'below-minimum', conclusion: 'failure', 'pass-rate': '0.0' });
  expect(log).toMatch(/file=evals\/support\.suite\.yaml,line=7::contains_phrases did not pass/);
});

test('a push to the default branch runs too', async () => {
  const { exitCode, log } = await runStep({
    eventName: 'push',
    payload: pushEvent('main'),
    ref: 'refs/heads/main',
  });
  expect(exitCode, log).toBe(0);
  expect(log).not.toContain('nothing is compared');
});

test('a fork runs what needs no key', async () => {
  const payload = pullRequestEvent({ headRepositoryId: 99 });
  const { exitCode, outputs, log } = await runStep({ eventName: 'pull_request', payload });
  expect(exitCode, log).toBe(0);
  expect(outputs.outcome).toBe('no-baseline');
});

test('a fork does not run what needs a model', async () => {
  const { exitCode, outputs, log } = await runStep({
    eventName: 'pull_request',
    payload: pullRequestEvent({ headRepositoryId: 99 }),
    files: {
      'proofmark.yaml': 'ai_configurations:\n  small: { provider: openai, model: m, api_key_env: OPENAI_API_KEY }\n',
      'evals/support.suite.yaml': suite.replace(/driver: .*/, 'ai_configuration: small'),
    },
  });
  expect(exitCode, log).toBe(0);
  expect(outputs.outcome).toBe('awaiting-approval');
  expect(log).toContain('::notice::Fork pull request');
});
