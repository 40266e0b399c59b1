import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { LlmJudgeCheck } from '@proofmark/contracts/checks';
import type { CaseContext } from '../case/case-state.ts';
import { answerProblem, enforcesSchema } from '../judge/ask-structured.ts';
import { shareAnswer } from '../judge/share-answer.ts';
import { badAnswer } from '../models/bad-answer.ts';
import type { CallResult, ModelPort } from '../models/model-port.ts';
import type { CheckVerdict } from './check-verdict.ts';
import type { JudgeVerdict } from './judge-parse.ts';
import { parseJudgeAnswer } from './judge-parse.ts';
import { judgeRequest } from './judge-prompt.ts';
import { measuringCall } from './measuring-call.ts';

/** Lets a model compare response and expected answer. An empty response fails without a call; an unusable verdict is an error. */
export async function judgeAnswer(check: LlmJudgeCheck, response: string, context: CaseContext): Promise<CheckVerdict> {
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

export interface JudgedAnswer {
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
