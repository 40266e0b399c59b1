import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { collectDefinitions } from '@proofmark/embedded/collect-definitions';
import { readModelKeys } from '@proofmark/embedded/environment';
import { runEmbedded } from '@proofmark/embedded/run-embedded';
import { expect, it } from 'vitest';
import { startModelServer } from '../stack/model-server.ts';
import { modelSuite } from './running-product.ts';

it('a budget of tokens ends a run without a server too, and such a run is never green (D-16)', async () => {
  await using model = await startModelServer({ rules: [{ reply: 'At 17.' }] });
  const root = await mkdtemp(join(tmpdir(), 'proofmark-budget-'));
  try {
    const suite = modelSuite({ cases: 6 });
    for (const { path, text } of suite.files) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      const limits = path === 'proofmark.yaml' ? 'limits: { budget_tokens: 1, concurrency: 1 }\n' : '';
      await writeFile(join(root, path), `${text}${limits}`);
    }
    const keys = readModelKeys({ OPENAI_API_KEY: 'key', OPENAI_BASE_URL: model.url });
    if (!keys.ok) throw new Error(keys.problems.join('\n'));
    const { definitions } = collectDefinitions({ root });
    const run = await runEmbedded({
      ...{ runId: 'budget', definitions, runSeed: 'seed', resultsDirectory: join(root, 'results'), keys: keys.keys },
      ...{ version: '0.1.0', environment: {}, root, signal: new AbortController().signal },
      request: {
        ...{ variables: {}, assignments: [], preset: null, matrix: {}, matrixAssignments: [], cases: [], tags: [] },
        ...{ difficulty: null, repetitions: null, compared: false, variants: ['head'] },
      },
    });
    if (!run.ok) throw new Error(JSON.stringify(run.problems));
    const [suiteRun] = run.suiteRuns;
    expect(suiteRun).toMatchObject({ totals: { passed: 1, skipped: 5 }, skipReasons: ['budget'] });
    expect(suiteRun?.verdict).toMatchObject({ cutTestRuns: 5, conclusion: 'neutral' });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
