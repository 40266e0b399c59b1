import type { CassetteEntry } from '@proofmark/contracts/cassette';
import { z } from 'zod';
import { askStructured, type Question } from '../judge/ask-structured.ts';
import { shareAnswer } from '../judge/share-answer.ts';
import type { CallResult } from '../models/model-port.ts';
import type { Tried } from '../retry/try-again.ts';
import { sanitizeForStorage } from '../sanitize-for-storage.ts';
import { placeWithin } from '../slots/case-place.ts';
import type { MetricTry } from './evaluator.ts';
import { modelOf } from './evaluator.ts';
import { stepsDefinition, stepsEntry } from './recorded-steps.ts';

const outputTokens = 800;
const Step = z.string().trim().min(1).max(1_000);
const StepList = z.array(Step).min(1).max(10);
const Steps = z.strictObject({ steps: StepList });

/**
 * The steps that a G-Eval metric is rated by. Missing ones are written by its model once and recorded under a digest of the
 * definition, so that all cases and both sides of a comparison are rated alike, whichever process runs them.
 */
export async function evaluationSteps(attempt: MetricTry): Promise<CallResult<readonly string[]>> {
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
      {
        role: 'system' as const,
        content:
          'You write instructions for somebody who rates answers of an AI agent. Answer with one JSON object and nothing else: {"steps": ["…"]} with 3 or 4 short steps, each one sentence, in the order in which they are taken.',
      },
      { role: 'user' as const, content: `Criteria: ${criteria}\nWhat the rater sees: ${sees.join(', ')}` },
    ],
    temperature: 0,
    maxTokens: outputTokens,
    schema: stepsSchema,
  };
  return { model: modelOf(attempt), request, shape: Steps, who: 'The model' };
}

const stepsSchema = {
  name: 'steps',
  schema: {
    type: 'object',
    properties: { steps: { type: 'array', items: { type: 'string' } } },
    required: ['steps'],
    additionalProperties: false,
  },
};
