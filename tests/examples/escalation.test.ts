import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestReport } from '@proofmark/contracts/test-report';
import { collectDefinitions } from '@proofmark/embedded/collect-definitions';
import { readModelKeys } from '@proofmark/embedded/environment';
import { runEmbedded } from '@proofmark/embedded/run-embedded';
import { expect, test } from 'vitest';
import { startModelServer } from '../stack/model-server.ts';

const root = join(import.meta.dirname, '../../examples/seeds');

const say = (message: string) => JSON.stringify({ action: 'say', message, reason: null });
const passed = (...ids: string[]) =>
  JSON.stringify({
    criteria: ids.map((id) => ({ id, requirement: id, reasoning: 'seen', status: 'passed' })),
    injection_attempt: false,
  });

test('S1-62 the escalation of the examples runs against a scripted customer and judge, over several turns', async () => {
  await using model = await startModelServer({
    rules: [
      { when: { system: 'feels ignored', user: 'number of your order' }, reply: say('Let me talk to your manager!') },
      { when: { user: 'handed_to_a_person' }, reply: passed('handed_to_a_person', 'agent_stays_polite') },
    ],
  });
  const keys = readModelKeys({ OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: model.url });
  if (!keys.ok) throw new Error(keys.problems.join('\n'));
  const resultsDirectory = await mkdtemp(join(tmpdir(), 'proofmark-escalation-'));
  try {
    const run = await runEmbedded({
      ...{ runId: 'escalation', runSeed: 'seed', version: '0.1.0', environment: {}, root, resultsDirectory },
      definitions: collectDefinitions({ root }).definitions,
      request: {
        ...{ variables: {}, assignments: [], preset: null, matrix: {}, matrixAssignments: [], tags: [] },
        ...{ difficulty: null, repetitions: null, compared: false, variants: ['head'] },
        cases: ['Escalation over several turns'],
      },
      keys: keys.keys,
      signal: new AbortController().signal,
    });
    const [suiteRun] = run.ok ? run.suiteRuns : [];
    if (suiteRun?.report.ok !== true) throw new Error(`The run has no report: ${JSON.stringify(run)}`);
    const report = TestReport.parse(JSON.parse(await readFile(suiteRun.report.path, 'utf8')));
    expect(report.results).toMatchObject([
      {
        passed: true,
        test_input: 'This is the third time I write to you!',
        agent_response: 'I am handing you to a colleague who calls you back within the hour.',
        tool_calls: ['escalate'],
        tools_matched: true,
        metric_results: [{ metric_name: 'expected_outcomes', score: 1, passed: true }],
      },
    ]);
  } finally {
    await rm(resultsDirectory, { recursive: true });
  }
});
