import { contentHash } from '@proofmark/contracts/content-hash';
import { EVALUATOR_VERSION } from '@proofmark/domain/content-hashes';
import { expect, test } from 'vitest';
import { aCase, casePorts } from '../case/a-case.fixture.ts';
import { type MetricStory, runWith } from '../metrics/a-metric-run.fixture.ts';
import { rubrics } from '../metrics/rubrics.ts';
import { runCase } from '../run-case/run-case.ts';
import { type JudgeRequest, judgeModel, says, scriptedJudge } from './scripted-judge.fixture.ts';

const story: Omit<MetricStory, 'metrics'> = {
  agent: {
    tools: [{ name: 'get_hours', retrieval: true }],
    driver: { type: 'scripted', replies: [{ tool_calls: [{ name: 'get_hours' }], reply: 'From 9 to 17' }] },
  },
  mocks: [{ tool: 'get_hours', returns: ['9-17'], times: 'always' }],
  case: { ground_truth: 'Nine to five' },
};

const moves = (request: JudgeRequest) =>
  ({ steps: says({ steps: ['Read.'] }), items: says({ items: ['one'] }) })[request.request.schema?.name ?? ''] ??
  says('no answer');

/** Everything that judges and metrics tell a model, without the markers, which are different in every request. */
async function allPrompts(): Promise<unknown> {
  const { models, requests } = scriptedJudge(moves);
  const standard = [...rubrics.keys(), 'llm_judge'].map((metric) => ({ metric }));
  const rag = (
    ['faithfulness', 'answer_relevancy', 'contextual_relevancy', 'contextual_precision', 'contextual_recall'] as const
  ).map((type) => ({ metric: type, type: 'rag' as const, metric_type: type }));
  const geval = { metric: 'tone', type: 'geval' as const, criteria: 'Friendly.' };
  await runWith(models, { metrics: [...standard, ...rag, geval], ...story });
  const work = aCase({ judge: judgeModel, case: { expected_outcomes: { done: true } } });
  await runCase(
    work,
    casePorts({ models, random: Math.random, pause: async () => undefined }),
    new AbortController().signal,
  );
  return requests.map(({ request }) => JSON.parse(JSON.stringify(request).replaceAll(/data [0-9a-f]{32}/g, 'data')));
}

test('J10 a changed prompt raises EVALUATOR_VERSION, so that older verdicts are not compared with new ones', async () => {
  // When the hash differs: raise the version in domain/src/plan/content-hashes.ts and write both down here.
  expect({ version: EVALUATOR_VERSION, prompts: contentHash(await allPrompts()) }).toMatchInlineSnapshot(`
    {
      "prompts": "0cca0fa0114652cf1a7475db95df0798c49867e590c7149880a2f413035e0cfb",
      "version": 4,
    }
  `);
});
