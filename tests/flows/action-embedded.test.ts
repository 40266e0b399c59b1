import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { startModelServer } from '../stack/model-server.ts';
import { spawnOwned } from '../stack/owned-process.ts';
import { bundle, makeStep, pullRequestEvent, pushEvent, runStep, suite } from './action-job.ts';

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
  expect(log).toContain('1/1 test runs');
  expect(log).toContain('::warning::Nothing is compared with the base: GitHub does not tell the merge base.');
  expect(log).toContain('::warning::The check proofmark cannot be written: no answer from GitHub');
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
  expect(log).not.toContain('Nothing is compared');
});

const modelFiles = {
  'proofmark.yaml': 'ai_configurations:\n  small: { provider: openai, model: m, api_key_env: OPENAI_API_KEY }\n',
  'evals/support.suite.yaml': suite.replace(/driver: .*/, 'ai_configuration: small'),
};
const modelKey = 'sk-test-0123456789abcdef';

test('a model is called with the key of the step, which is masked', async () => {
  await using model = await startModelServer({ rules: [{ reply: 'We open at 9.' }] });
  const { exitCode, outputs, log } = await runStep({
    ...pullRequest,
    files: modelFiles,
    env: { OPENAI_API_KEY: modelKey, OPENAI_BASE_URL: model.url },
  });
  expect(exitCode, log).toBe(0);
  expect(outputs).toMatchObject({ 'pass-rate': '100.0', 'errored-count': '0' });
  expect(model.requests).toMatchObject([{ key: modelKey, system: 'Be nice.', user: 'When do you open?' }]);
  expect(log).toContain(`::add-mask::${modelKey}\n`);
});

test('a cancelled job gives up its model calls and still reports what it has', async () => {
  await using model = await startModelServer({ rules: [{ hangs: true }] });
  const { environment } = await makeStep({
    ...pullRequest,
    files: modelFiles,
    env: { OPENAI_API_KEY: modelKey, OPENAI_BASE_URL: model.url },
  });
  const main = await spawnOwned(process.execPath, [bundle('index')], { env: environment });
  await model.whenInFlight(1);
  main.signal('SIGINT');
  const { code } = await main.exited;
  expect(code, main.log()).toBe(0);
  // Given up, and not asked again after the time of a try.
  expect(model.requests).toHaveLength(1);
  expect(await readFile(environment.GITHUB_OUTPUT ?? '', 'utf8')).toMatch(/outcome<<(.+)\ncancelled\n/);
  expect(await readFile(environment.GITHUB_STEP_SUMMARY ?? '', 'utf8')).toContain('### Proofmark: ');
});

test('a fork runs what needs no key', async () => {
  const payload = pullRequestEvent({ headRepositoryId: 99 });
  const { exitCode, outputs, log } = await runStep({ eventName: 'pull_request', payload });
  expect(exitCode, log).toBe(0);
  expect(outputs).toMatchObject({ outcome: 'no-baseline', 'report-mode': 'summary' });
  expect(log).not.toContain('cannot be written');
});

test('a fork does not run what needs a model', async () => {
  const { exitCode, outputs, log } = await runStep({
    eventName: 'pull_request',
    payload: pullRequestEvent({ headRepositoryId: 99 }),
    files: modelFiles,
  });
  expect(exitCode, log).toBe(0);
  expect(outputs.outcome).toBe('awaiting-approval');
  expect(log).toContain('::notice::Fork pull request');
});

test('a judge that agrees with people too little fails no job, not even below the minimum', async () => {
  const decide = (id: string, status: string) =>
    JSON.stringify({ criteria: [{ id, requirement: id, reasoning: '', status }], injection_attempt: false });
  const judge = { when: { user: 'It is kind.' }, reply: decide('criterion', 'passed') };
  await using model = await startModelServer({ rules: [judge, { reply: decide('kind', 'failed') }] });
  const labels = Array.from({ length: 30 }, (_, at) =>
    JSON.stringify({ response: `Answer ${at}`, criterion: 'It is kind.', label: at < 15 ? 'passed' : 'failed' }),
  );
  const [cases = ''] = suite.split('    expected_behavior');
  const judged = `${cases}    expected_outcomes: { kind: true }\n`;
  const { exitCode, outputs, summary, log } = await runStep({
    ...pullRequest,
    files: {
      'proofmark.yaml': modelFiles['proofmark.yaml'],
      'evals/support.suite.yaml': `${judged}judge: { ai_configuration: small, calibration_file: labels.jsonl }\n`,
      'evals/labels.jsonl': labels.join('\n'),
    },
    inputs: { 'min-pass-rate': '90', 'fail-on': 'failure' },
    env: { OPENAI_API_KEY: modelKey, OPENAI_BASE_URL: model.url },
  });
  expect(exitCode, log).toBe(0);
  expect(outputs).toMatchObject({ outcome: 'below-minimum', conclusion: 'neutral', 'pass-rate': '0.0' });
  expect(log).toContain('Measuring the judge of Support agent with 30 labelled answers of evals/labels.jsonl');
  expect(summary).toContain('judge too weak (kappa 0.00)');
  expect(summary).toContain('It is no better than chance: its pass rate says nothing about the true one.');
});
