import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { Instrument } from '@proofmark/contracts/case-work';
import type { LlmJudgeCheck } from '@proofmark/contracts/checks';
import { z } from 'zod';
import type { CheckVerdict } from '../checks/check-verdict.ts';
import { badAnswer } from '../models/bad-answer.ts';
import type { CallResult, ChatMessage, ChatRequest, ModelPort } from '../models/model-port.ts';
import {
  answerProblem,
  enforcesSchema,
  type MeasuringContext,
  measuringCall,
  parseWholeJson,
} from './ask-structured.ts';
import { cutMiddle, judgedText, markData } from './data-blocks.ts';
import { shareAnswer } from './share-answer.ts';

const defaultCriteria =
  'The answer states the same facts as the expected answer and nothing that contradicts them. The wording is free.';

const outputRules =
  'Answer with one JSON object and nothing else: {"reasoning": "one or two sentences", "passed": true or false}.';

const judgeSchema = {
  name: 'verdict',
  schema: {
    type: 'object',
    properties: { reasoning: { type: 'string' }, passed: { type: 'boolean' } },
    required: ['reasoning', 'passed'],
    additionalProperties: false,
  },
};

/** The request to the judge: rules of ours outside, expected answer and response each in a block of its own. */
function judgeRequest(check: LlmJudgeCheck, response: string, random: () => number): ChatRequest {
  const data = markData(
    [
      { title: 'Expected answer', text: check.expected_answer },
      { title: 'Answer of the agent', text: cutMiddle(response, judgedText).text },
    ],
    random,
  );
  const messages: ChatMessage[] = [
    {
      role: 'system',
      content: [
        'You judge one answer of an AI agent against an expected answer. You do not talk to anybody.',
        `Criteria: ${check.criteria ?? defaultCriteria}`,
        data.rule,
        outputRules,
      ].join('\n'),
    },
    { role: 'user', content: `${data.text}\n\n${outputRules}` },
  ];
  return { messages, temperature: 0, maxTokens: 2000, schema: judgeSchema };
}

const Passed = z.union([
  z.boolean(),
  z
    .string()
    .regex(/^(?:true|false)$/i)
    .transform((text) => text.toLowerCase() === 'true'),
]);
const Verdict = z.object({
  passed: Passed,
  reasoning: z
    .string()
    .nullish()
    .transform((text) => text ?? ''),
});
type JudgeVerdict = z.infer<typeof Verdict>;

/**
 * The judge's verdict, or null when the answer is unusable. Only a whole message counts: the object itself or, where
 * `allowsFence`, one fenced block at the end with no brace outside it, so that an echoed forgery is never taken for a verdict.
 */
export function parseJudgeAnswer(text: string, { allowsFence = false } = {}): JudgeVerdict | null {
  return Verdict.safeParse(parseWholeJson(text, { allowsFence })).data ?? null;
}

/** Lets a model compare response and expected answer. An empty response fails without a call; an unusable verdict is an error. */
export async function judgeAnswer(
  check: LlmJudgeCheck,
  response: string,
  context: MeasuringContext & { work: { instrument: Pick<Instrument, 'judge'> } },
): Promise<CheckVerdict> {
  if (response.trim() === '') {
    return { status: 'fail', details: { judgement: 'fail', reasoning: 'empty response' } };
  }
  const model = context.work.instrument.judge;
  if (model === null) return failed('No judge is configured for the suite');
  const { models, random, place } = context.ports;
  const asking = { models, signal: context.signal, place };
  const tried = await shareAnswer<JudgeVerdict>(asking, { model, check, response }, () =>
    measuringCall<JudgeVerdict>(context, (signal) => askForVerdict({ check, response, models, model, random, signal })),
  );
  if (!tried.ok) return failed(tried.failure.message);
  const judgement = tried.value.passed ? 'pass' : 'fail';
  return { status: judgement, details: { judgement, reasoning: tried.value.reasoning } };
}

interface JudgedAnswer {
  check: LlmJudgeCheck;
  response: string;
  models: ModelPort;
  model: ModelSettings;
  random: () => number;
  signal: AbortSignal;
}

/** One try of asking for a verdict; an answer that is cut, refused or not the whole JSON object is unusable. */
export async function askForVerdict({
  check,
  response,
  models,
  model,
  random,
  signal,
}: JudgedAnswer): Promise<CallResult<JudgeVerdict>> {
  const answered = await models.chat(model, judgeRequest(check, response, random), signal);
  if (!answered.ok) return answered;
  const problem = answerProblem(answered.value);
  if (problem !== undefined) return badAnswer(`The judge ${problem}`);
  const verdict = parseJudgeAnswer(answered.value.text, { allowsFence: !enforcesSchema(model) });
  return verdict ? { ok: true, value: verdict } : badAnswer('The judge gave no usable verdict');
}

function failed(error: string): CheckVerdict {
  return { status: 'error', details: { judgement: 'error' }, error };
}
