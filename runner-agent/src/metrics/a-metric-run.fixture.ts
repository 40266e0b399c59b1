import { Metric } from '@proofmark/contracts/metrics';
import type { z } from 'zod';
import { aCase, type CaseStory, casePorts } from '../case/a-case.fixture.ts';
import type { CasePorts } from '../case/case-state.ts';
import { type JudgeMove, type JudgeRequest, judgeModel, scriptedJudge } from '../judge/scripted-judge.fixture.ts';
import type { ModelPort } from '../models/model-port.ts';
import { runCase } from '../run-case/run-case.ts';
import type { Cassette } from '../tools/simulate-tool.ts';

export type WrittenMetric = z.input<typeof Metric>;
type Answering = (request: JudgeRequest, call: number) => JudgeMove;

export interface MetricStory extends Omit<CaseStory, 'evaluations' | 'cassette'> {
  metrics: readonly WrittenMetric[];
  /** The model of all metrics. */
  evaluationsModel?: string;
  /** What the agent says. */
  response?: string;
  cassette?: Cassette;
  files?: NonNullable<CasePorts['files']>;
  /** What the suite brings along of earlier answers. */
  committed?: NonNullable<CaseStory['cassette']>;
}

/** Runs a test run with these metrics for tests, without pauses between tries. */
export async function runMetricsOf(story: MetricStory, answer: Answering) {
  const { models, requests } = scriptedJudge(answer);
  const outcome = await runWith(models, story);
  return { outcome, requests, results: outcome.metrics, details: outcome.metricDetails };
}

/** The same with models of the test's own. */
export async function runWith(
  models: ModelPort,
  { metrics, evaluationsModel, response, cassette, committed, files, ...story }: MetricStory,
) {
  const agent = response === undefined ? {} : { driver: { type: 'scripted' as const, replies: [{ reply: response }] } };
  const work = aCase({
    judge: judgeModel,
    ...story,
    ...(committed && { cassette: committed }),
    agent: { ...agent, ...story.agent },
    evaluations: {
      ...(evaluationsModel === undefined ? {} : { model: evaluationsModel }),
      metrics: metrics.map((metric) => Metric.parse(metric)),
    },
  });
  const ports = casePorts({
    models,
    random: Math.random,
    pause: async () => undefined,
    ...(cassette && { cassette }),
    ...(files && { files }),
  });
  return await runCase(work, ports, new AbortController().signal);
}
