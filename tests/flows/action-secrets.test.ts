import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { regressingRun, startDouble } from './action-double.ts';
import { pullRequestEvent, runStep, suite } from './action-job.ts';

const forms = (secret: string) => [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret)];

/** The log as people see it: commands that mask are obeyed and not shown. */
const shown = (log: string) =>
  log
    .split('\n')
    .filter((line) => !line.startsWith('::add-mask::'))
    .join('\n');

test('every token is masked in each of its forms before anything else is printed, and stands nowhere', async () => {
  await using coordinator = await startDouble(regressingRun());
  const { log, state, summary, temp } = await runStep({
    eventName: 'pull_request',
    payload: pullRequestEvent(),
    inputs: { coordinator: coordinator.url },
    env: coordinator.idToken,
  });
  expect(log.startsWith('::add-mask::')).toBe(true);
  const files = await Promise.all(
    (await readdir(temp, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && entry.name !== 'event.json')
      .map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8')),
  );
  for (const token of ['ghs_job-token-0123456789', 'oidc-token-1+/=', 'pmr_run-token+/=']) {
    for (const form of forms(token)) {
      expect(log, form).toContain(`::add-mask::${form.replaceAll('%', '%25')}\n`);
      expect([shown(log), summary, JSON.stringify(state), ...files].join('\n')).not.toContain(form);
    }
  }
});

test('text of the repository and of models obeys no workflow command', async () => {
  await using coordinator = await startDouble(regressingRun());
  const hostile = '"::error::owned ##[add-mask]owned ::set-output name=a::b"';
  const { log, outputs } = await runStep({
    eventName: 'pull_request',
    payload: pullRequestEvent(),
    files: { 'evals/hostile.suite.yaml': suite.replace('Support agent', hostile) },
    inputs: { coordinator: coordinator.url },
    env: coordinator.idToken,
  });
  const lines = log.split('\n');
  const stop = lines.findIndex((line) => line.startsWith('::stop-commands::'));
  const word = lines[stop]?.slice('::stop-commands::'.length) ?? '';
  expect(word).toMatch(/^[0-9a-f]{32}$/);
  const end = lines.indexOf(`::${word}::`);
  expect(lines.slice(stop + 1, end)).toContain('│ ::error::never obeyed');
  expect(lines.slice(stop + 1, end).every((line) => line.startsWith('│ '))).toBe(true);
  const outside = [...lines.slice(0, stop), ...lines.slice(end + 1)].join('\n');
  expect(outside).not.toMatch(/^\s*::(error|set-output)[^\n]*owned/m);
  expect(outputs.a).toBeUndefined();
});

test('the title of a pull request runs nothing', async () => {
  await using coordinator = await startDouble(regressingRun());
  const { log } = await runStep({
    eventName: 'pull_request',
    payload: pullRequestEvent(),
    inputs: { coordinator: coordinator.url },
    env: coordinator.idToken,
  });
  expect(log).not.toContain('touch');
  expect(existsSync('/tmp/owned')).toBe(false);
});
