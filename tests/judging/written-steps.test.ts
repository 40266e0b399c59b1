import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../stack/model-server.ts';
import { typeCli } from '../stack/type-cli.ts';
import { timesWritten, toneFiles, toneRules } from './rated-tone.ts';
import { writeProject } from './simulated-shop.ts';

const keysFor = (model: ModelServer) => ({ OPENAI_API_KEY: 'key', OPENAI_BASE_URL: model.url });

async function run(folder: string, model: ModelServer, args: readonly string[] = []) {
  const ended = await typeCli(['run', ...args], { folder, env: keysFor(model) });
  const [, place = ''] = /Results: (results\/\S+)/.exec(ended.stdout) ?? [];
  const text = await readFile(join(folder, place, '01-tone/results.jsonl'), 'utf8');
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((line) => line.outcome !== undefined);
  return { ...ended, place, steps: lines.map(({ outcome }) => outcome.metricDetails[0].steps) };
}

test('missing steps are written once for a run, stand beside its results, and a replay follows them', async () => {
  await using model = await startModelServer({ rules: toneRules() });
  const folder = await writeProject(toneFiles());
  const first = await run(folder, model);
  expect(first.code, first.stderr + first.stdout).toBe(0);
  expect(timesWritten(model)).toBe(1);
  expect(first.steps).toEqual(Array(6).fill(['Read it.', 'Rate it, way 1.']));
  expect(await readFile(join(folder, first.place, 'cassette.jsonl'), 'utf8')).toContain('Rate it, way 1.');

  const replayed = await typeCli(['replay', `${first.place}/01-tone/one`], { folder, env: keysFor(model) });
  expect(replayed.stdout, replayed.stderr).toContain('SAME');
  expect(timesWritten(model)).toBe(1);
  const page = await typeCli(['report', first.place, '--format', 'html'], { folder });
  expect(page.stdout).toContain('Steps, written by the model');
});

test('a run that is compared with the results of an earlier one is rated by the same steps', async () => {
  await using model = await startModelServer({ rules: toneRules() });
  const folder = await writeProject(toneFiles());
  const first = await run(folder, model);
  const second = await run(folder, model, ['--compare', first.place]);
  expect(second.code, second.stderr).toBe(0);
  expect(timesWritten(model)).toBe(1);
  expect(second.steps).toEqual(first.steps);
  // Not vacuous: who compares with nothing has them written anew.
  const third = await run(folder, model);
  expect(timesWritten(model)).toBe(2);
  expect(third.steps).toEqual(Array(6).fill(['Read it.', 'Rate it, way 2.']));
});
