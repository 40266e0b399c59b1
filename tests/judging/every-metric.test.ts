import { standardMetrics } from '@proofmark/contracts/metrics';
import { expect, test } from 'vitest';
import { runInProcess } from '../flows/run-in-process.ts';
import { startModelServer } from '../stack/model-server.ts';
import { everyMetric, everyMetricRules, expectedScores } from './every-metric.ts';

test('every metric has its name, its order, its score and its own model in a run of this process', async () => {
  await using server = await startModelServer({ rules: everyMetricRules });
  const ended = await runInProcess(everyMetric(server.url), {});
  const metrics = ended.flatMap(({ outcome }) => outcome.metrics);
  expect(metrics.filter(({ error }) => error !== null)).toEqual([]);
  const scores = Object.fromEntries(metrics.map(({ metric_name, score }) => [metric_name, score]));
  for (const [name, score] of Object.entries(expectedScores)) expect.soft(scores[name], name).toBeCloseTo(score, 9);
  // None is forgotten here, and none is there that was switched off.
  expect(new Set(Object.keys(scores))).toEqual(new Set(Object.keys(expectedScores)));
  expect([...standardMetrics.keys()].filter((name) => !(name in scores))).toEqual([]);
  expect(metrics.filter(({ passed }) => !passed)).toEqual([]);
  expect(ended.map(({ outcome }) => outcome.status)).toEqual(['passed', 'passed']);
  const usedBy = (model: string | null) => metrics.filter(({ model_used }) => model_used === model).length;
  expect([usedBy('judge-1'), usedBy('embed-1'), usedBy(null)]).toEqual([16, 1, 9]);
  // Four rag metrics ask twice, and no metric asks for more.
  expect(server.requests.filter(({ path }) => path.endsWith('/chat/completions'))).toHaveLength(20);
});
