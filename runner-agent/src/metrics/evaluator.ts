import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { MetricDetail } from '@proofmark/contracts/case-outcome';
import type { Instrument } from '@proofmark/contracts/case-work';
import type { CassetteEntry } from '@proofmark/contracts/cassette';
import type { Metric } from '@proofmark/contracts/metrics';
import type { CaseContext } from '../case/case-state.ts';
import type { DataBlock } from '../judge/data-blocks.ts';
import type { CallResult, ModelPort } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import type { Cassette } from '../tools/simulate-tool.ts';
import type { MetricSubject } from './metric-subject.ts';

/** The metric's own model, else that of all metrics, else the judge of the suite; null where none is asked or configured. */
export function chooseMetricModel(
  asks: 'chat' | 'embedding' | null,
  { model }: Pick<Metric, 'model'>,
  { judge, embedding, evaluations, metricModels = {} }: Instrument,
): ModelSettings | null {
  if (asks === null) return null;
  const name = asks === 'embedding' ? model : (model ?? evaluations?.model);
  if (name === undefined) return asks === 'embedding' ? embedding : judge;
  return Object.hasOwn(metricModels, name) ? (metricModels[name] ?? null) : null;
}

/** A score on the evaluator's own scale. */
export interface RawScore {
  raw: number;
  reasoning: string | null;
  /** What the evaluator itself says where no threshold is set; null: any score above 0 passes. */
  verdict: boolean | null;
  steps?: readonly string[];
  stepsGenerated?: boolean;
}

/** What one try at a metric works with. */
export interface MetricTry {
  metric: Metric;
  subject: MetricSubject;
  models: ModelPort;
  /** The model of the metric; null for evaluators that ask none. */
  model: ModelSettings | null;
  random: () => number;
  signal: AbortSignal;
  /** What the suite brings along of what models wrote earlier, and where more of it is recorded; absent: nowhere. */
  committed: readonly CassetteEntry[];
  cassette?: Cassette | undefined;
  /** The test run that is measured. */
  context: CaseContext;
}

/** Measures one quality of an answer. The common rules (inputs, empty answers, retries, scale) are applied around it. */
export interface Evaluator {
  kind: MetricDetail['kind'];
  /** Which model it asks; null: none. */
  asks: 'chat' | 'embedding' | null;
  /** The ends of the raw scale: an empty answer gets the lower one without a call. */
  scale: { min: number; max: number };
  /** The first input that it cannot do without and that is not there. */
  missingInput(metric: Metric, subject: MetricSubject): string | undefined;
  /** What a chat model is shown of a test run: where it is equal, the answer to one of them is that to all. */
  shows?(metric: Metric, subject: MetricSubject): readonly DataBlock[];
  /** Begins a measurement and returns one try of it, so that what an earlier try has found is not asked for again. */
  begin(): (attempt: MetricTry) => Promise<CallResult<RawScore>>;
}

/** There is nothing that the metric could be about; trying again changes nothing. */
export function notApplicable(reason: string): CallResult<never> {
  return { ok: false, failure: finalFailure('agent', `not_applicable: ${reason}`) };
}

/** The model of a try. That there is one is made sure before the first try begins. */
export function modelOf({ model, metric }: Pick<MetricTry, 'model' | 'metric'>): ModelSettings {
  if (model === null) throw new Error(`the metric ${metric.metric} was begun without a model`);
  return model;
}
