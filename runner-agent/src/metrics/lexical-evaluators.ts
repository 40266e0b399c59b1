import type { Metric } from '@proofmark/contracts/metrics';
import { compareNumbers, isEqualText } from '@proofmark/domain/lexical/equality';
import { readResponsePath } from '@proofmark/domain/lexical/response-path';
import { bleu, f1, meteor, rougeL, rougeN } from '@proofmark/domain/lexical/scores';
import type { CallResult } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import { type Evaluator, notApplicable, type RawScore } from './evaluator.ts';

type Compare = (response: string, truth: string, metric: Metric) => CallResult<RawScore>;

/** Longer texts would keep the process busy for seconds: ROUGE-L takes the product of both lengths. */
const comparableCharacters = 100_000;

/** The metrics that compare texts by code alone. */
export const lexicalEvaluators: ReadonlyMap<string, Evaluator> = new Map([
  ['bleu', lexical(scored((response, truth) => bleu(response, truth)?.score))],
  ['rouge', lexical(scored((response, truth) => rougeL(response, truth)?.f))],
  ['rougeL', lexical(scored((response, truth) => rougeL(response, truth)?.f))],
  ['rouge1', lexical(scored((response, truth) => rougeN(response, truth, 1)?.f))],
  ['rouge2', lexical(scored((response, truth) => rougeN(response, truth, 2)?.f))],
  ['meteor', lexical(scored(meteor))],
  ['f1', lexical(scored(f1))],
  ['equality', lexical(compareTexts)],
  ['numeric', lexical(compareAsNumbers)],
]);

function lexical(compare: Compare): Evaluator {
  return {
    kind: 'lexical',
    asks: null,
    scale: { min: 0, max: 1 },
    missingInput: (_metric, { groundTruth }) => (groundTruth === null ? 'ground_truth' : undefined),
    begin:
      () =>
      async ({ metric, subject: { response, groundTruth } }) =>
        compareAtPath(compare, { metric, response, truth: groundTruth ?? '' }),
  };
}

/** Compares the response, or its part at `response_path`, with the reference. */
function compareAtPath(
  compare: Compare,
  { metric, response, truth }: { metric: Metric; response: string; truth: string },
): CallResult<RawScore> {
  if (truth.trim() === '') return notApplicable('the ground_truth is empty');
  if (Math.max(response.length, truth.length) > comparableCharacters) {
    const message = `too_long: texts of up to ${comparableCharacters} characters can be compared`;
    return { ok: false, failure: finalFailure('agent', message) };
  }
  if (metric.response_path === undefined) return compare(response, truth, metric);
  const part = readResponsePath(response, metric.response_path);
  return part.ok ? compare(part.text, truth, metric) : failedScore(part.reason);
}

function scored(measure: (response: string, truth: string) => number | null | undefined): Compare {
  return (response, truth) => {
    const raw = measure(response, truth);
    if (raw === null || raw === undefined) return notApplicable('the ground_truth has no word to compare with');
    return { ok: true, value: { raw, reasoning: null, verdict: null } };
  };
}

function compareTexts(response: string, truth: string, metric: Metric): CallResult<RawScore> {
  const isEqual = isEqualText(response, truth, {
    caseInsensitive: metric.case_insensitive,
    stripPunctuation: metric.strip_punctuation,
    stripWhitespace: metric.strip_whitespace,
  });
  return isEqual ? passedScore() : failedScore('response and ground_truth differ');
}

function compareAsNumbers(response: string, truth: string, metric: Metric): CallResult<RawScore> {
  const compared = compareNumbers(response, truth, {
    absoluteTolerance: metric.absolute_tolerance,
    relativeTolerance: metric.relative_tolerance,
    acceptPercent: metric.accept_percent,
    acceptThousandsSeparators: metric.accept_thousands_separators,
  });
  if (compared.ok) {
    return compared.isEqual ? passedScore() : failedScore(`${compared.response} is not ${compared.truth}`);
  }
  if (compared.unusable === 'response') return failedScore('the response is not a number');
  return { ok: false, failure: finalFailure('agent', 'invalid_ground_truth: the ground_truth is not a number') };
}

function passedScore(): CallResult<RawScore> {
  return { ok: true, value: { raw: 1, reasoning: null, verdict: true } };
}

function failedScore(reasoning: string): CallResult<RawScore> {
  return { ok: true, value: { raw: 0, reasoning, verdict: false } };
}
