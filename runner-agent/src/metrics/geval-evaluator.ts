import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import type { CassetteEntry } from '@proofmark/contracts/cassette';
import { contentHash } from '@proofmark/contracts/content-hash';
import type { EvaluationParam, Metric } from '@proofmark/contracts/metrics';
import { sanitizeForStorage } from '@proofmark/domain/kept-text';
import { z } from 'zod';
import { askStructured, type Question } from '../judge/ask-structured.ts';
import { type DataBlock, hangLines } from '../judge/data-blocks.ts';
import { shareAnswer } from '../judge/share-answer.ts';
import type { CallResult, WeighedToken } from '../models/model-port.ts';
import { placeWithin } from '../retry/case-place.ts';
import type { Tried } from '../retry/try-again.ts';
import { chooseMetricModel, type Evaluator, type MetricTry, modelOf, type RawScore } from './evaluator.ts';
import type { MetricSubject } from './metric-subject.ts';
import { askForRating } from './rubric-evaluator.ts';

interface GevalParam {
  title: string;
  /** What is missing when it is empty. */
  input: string;
  read: (subject: MetricSubject) => string;
}

/** What a G-Eval metric looks at, in its order, each once; the response unless it says otherwise. */
const gevalParams = ({ evaluation_params: chosen = ['actual_output'] }: Metric): GevalParam[] =>
  [...new Set(chosen)].map((param) => params[param]);

const params: Readonly<Record<EvaluationParam, GevalParam>> = {
  input: { title: 'Input', input: 'query', read: ({ query }) => query },
  actual_output: { title: 'Actual output', input: 'response', read: ({ response }) => response },
  expected_output: {
    title: 'Expected output',
    input: 'ground_truth',
    read: ({ groundTruth }) => groundTruth ?? '',
  },
  context: { title: 'Context', input: 'context', read: ({ context }) => context },
  retrieval_context: {
    title: 'Retrieved context',
    input: 'retrieval_context',
    read: ({ chunks }) => chunks.map((chunk, index) => `${index + 1}. ${hangLines(chunk)}`).join('\n\n'),
  },
};

/** What steps are written from: a metric may be renamed, but its criteria and what it sees may not change. */
const stepsDefinition = (metric: Metric) => ({
  criteria: metric.criteria ?? '',
  sees: gevalParams(metric).map(({ title }) => title.toLowerCase()),
});

/** Steps of a G-Eval metric as they are recorded: under a digest of its definition and its model. */
function stepsEntry(
  metric: Metric,
  { provider, model, base_url }: ModelSettings,
  steps: readonly string[],
): CassetteEntry {
  const definition = stepsDefinition(metric);
  const key = contentHash({ evaluationSteps: definition, model: { provider, model, base_url } });
  return { key, tool: 'evaluation_steps', args: { metric: metric.metric, ...definition }, result: [...steps] };
}

/** The steps that a model wrote for this test run or for one before it, for whoever repeats it or compares with it. */
export function recordedSteps(
  { instrument }: Pick<CaseWork, 'instrument'>,
  { metricDetails }: Pick<CaseOutcome, 'metricDetails'>,
): CassetteEntry[] {
  return metricDetails.flatMap(({ metric_name, steps, stepsGenerated }) => {
    const metric = instrument.evaluations?.metrics.find((one) => one.metric === metric_name);
    const model = metric && chooseMetricModel('chat', metric, instrument);
    return metric && model && steps && stepsGenerated ? [stepsEntry(metric, model, steps)] : [];
  });
}

const outputTokens = 800;
const Step = z.string().trim().min(1).max(1_000);
const StepList = z.array(Step).min(1).max(10);
const Steps = z.object({ steps: StepList });

/**
 * The steps that a G-Eval metric is rated by. Missing ones are written by its model once and recorded under a digest of the
 * definition, so that all cases and both sides of a comparison are rated alike, whichever process runs them.
 */
async function evaluationSteps(attempt: MetricTry): Promise<CallResult<readonly string[]>> {
  const { metric, models, signal } = attempt;
  if (metric.evaluation_steps !== undefined) return { ok: true, value: metric.evaluation_steps };
  const { key } = stepsEntry(metric, modelOf(attempt), []);
  return await shareAnswer({ models, signal, place: placeWithin(signal) }, { evaluationSteps: key }, () =>
    findOrWrite(key, attempt),
  );
}

async function findOrWrite(key: string, attempt: MetricTry): Promise<Tried<readonly string[]>> {
  const { committed, cassette, signal, metric } = attempt;
  const known = committed.find((entry) => entry.key === key);
  const found = known === undefined ? await cassette?.find(key, signal) : { ok: true as const, value: known };
  if (found?.ok === false) return { ...found, retryCount: 0 };
  const recorded = stepsIn(found?.value);
  if (recorded !== undefined) return once(recorded);
  const answered = await askStructured(attempt.models, stepsQuestion(attempt), signal);
  if (!answered.ok) return { ...answered, retryCount: 0 };
  const { steps } = answered.value.value;
  const entry = stepsEntry(metric, modelOf(attempt), steps);
  // Another process may have been faster: then its steps count, or the two would rate differently.
  const kept = await cassette?.keep(sanitizeForStorage(entry).value, signal);
  if (kept?.ok === false) return { ...kept, retryCount: 0 };
  return once(stepsIn(kept?.value) ?? steps);
}

const once = (value: readonly string[]): Tried<readonly string[]> => ({ ok: true, value, latencyMs: 0, retryCount: 0 });

/** Undefined for what is no list of steps, such as an entry that somebody edited. */
const stepsIn = (entry: CassetteEntry | undefined): readonly string[] | undefined =>
  StepList.safeParse(entry?.result).data;

function stepsQuestion(attempt: MetricTry): Question<typeof Steps> {
  const { criteria, sees } = stepsDefinition(attempt.metric);
  const request = {
    messages: [
      { role: 'system' as const, content: stepsRules },
      {
        role: 'user' as const,
        content: `Metric: ${attempt.metric.metric}\nCriteria: ${criteria}\nWhat the rater sees: ${sees.join(', ')}\n\n${stepsOutput}`,
      },
    ],
    defaults: { temperature: 0, maxTokens: outputTokens },
    schema: stepsSchema,
  };
  return { model: modelOf(attempt), request, shape: Steps, who: 'The model' };
}

const stepsOutput =
  'Answer with one JSON object and nothing else: {"steps": ["…"]} with 3 or 4 short steps, each one sentence, in the order in which they are taken.';

const stepsRules = [
  'You write instructions for somebody who rates answers of an AI agent by criteria. Each step says what to look for and what raises or lowers the score. The steps add nothing to the criteria.',
  'Example: Metric: names_a_time. Criteria: The answer says when the shop opens. Steps: "Look for a time of opening in the answer.", "Check that it is exact: a number, not a word such as soon.", "Lower the score for an exact time that is hard to find, and give the lowest where there is none."',
  stepsOutput,
].join('\n');

const stepsSchema = {
  name: 'steps',
  schema: {
    type: 'object',
    properties: { steps: { type: 'array', items: { type: 'string' } } },
    required: ['steps'],
    additionalProperties: false,
  },
};

const scale = { min: 0, max: 10 };
const passesFrom = 5;

/** A rubric of the team's own, followed in steps. Missing steps are written by the model, once per definition. */
export const gevalEvaluator: Evaluator = {
  kind: 'geval',
  asks: 'chat',
  scale,
  missingInput: (metric, subject) => gevalParams(metric).find(({ read }) => read(subject).trim() === '')?.input,
  shows: blocksOf,
  begin: () => rate,
};

function blocksOf(metric: Metric, subject: MetricSubject): DataBlock[] {
  return gevalParams(metric).map(({ title, read }) => ({ title, text: read(subject) }));
}

async function rate(attempt: MetricTry): Promise<CallResult<RawScore>> {
  const { metric, subject } = attempt;
  // A prompt of the team's own takes the place of criteria and steps.
  const steps = metric.custom_prompt === undefined ? await evaluationSteps(attempt) : { ok: true as const, value: [] };
  if (!steps.ok) return steps;
  const rated = await askForRating(attempt, {
    instructions: metric.custom_prompt ?? rubricOf(metric, steps.value),
    blocks: blocksOf(metric, subject),
    scale,
    outputTokens,
    weighsTokens: true,
  });
  if (!rated.ok) return rated;
  const { score, reasoning, tokens = [] } = rated.value;
  const raw = metric.strict_mode ? (score < scale.max ? scale.min : score) : weighedScore(score, tokens);
  const followed =
    steps.value.length === 0 ? {} : { steps: steps.value, stepsGenerated: metric.evaluation_steps === undefined };
  return { ok: true, value: { raw, reasoning, verdict: raw >= passesFrom, ...followed } };
}

const writtenScore = /"score"\s*:\s*"?(\d+)/g;

/**
 * The mean of the scores that the model might have given, each with its probability, where it tells: it decides between 7
 * and 8 by a hair, and the mean says by which. Without probabilities, or where the number is no token of its own, the
 * score itself.
 */
export function weighedScore(score: number, tokens: readonly WeighedToken[]): number {
  const text = tokens.map(({ token }) => token).join('');
  const found = [...text.matchAll(writtenScore)].at(-1);
  if (found === undefined || Number(found[1]) !== score) return score;
  const place = found.index + found[0].length - 1;
  let end = 0;
  const chosen = tokens.find(({ token }) => {
    end += token.length;
    return place < end;
  });
  if (chosen === undefined || digitsOf(chosen.token) !== score) return score;
  let [sum, weight] = [0, 0];
  for (const { token, logProbability } of chosen.alternatives) {
    const value = digitsOf(token);
    if (value === undefined || value > scale.max) continue;
    sum += value * Math.exp(logProbability);
    weight += Math.exp(logProbability);
  }
  // Where most of the probability is on something else than numbers, the place was not the score's.
  return weight < 0.5 ? score : Math.round((sum / weight) * 1_000) / 1_000;
}

/** The number that a token is, alone or in quotes. */
function digitsOf(token: string): number | undefined {
  const [, digits] = /^[\s"]*(\d{1,2})[\s"]*$/.exec(token) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function rubricOf({ metric, criteria = '' }: Metric, steps: readonly string[]): string {
  return [
    `You rate "${metric}" by these criteria:\n${criteria}`,
    `Follow these steps:\n${steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}`,
    gevalLevels,
  ].join('\n\n');
}

/** What the numbers stand for, whatever the criteria are. */
const gevalLevels = [
  '0: Nothing of the criteria is met.',
  '3: A little of them is met; what matters most is not.',
  '5: What matters most is met, with clear lacks.',
  '8: They are met, with a small lack.',
  '10: They are met completely. Nothing could be better in their sense.',
  'The numbers between stand for what is between.',
  'Example for other criteria, "It names the time of opening": "We open soon." Score 0: it names no time. "We open at nine or so." Score 5: the time is vague. "We open at 9:00." Score 10.',
].join('\n');
