import type { LlmJudgeCheck } from '@proofmark/contracts/checks';
import type { CaseContext } from '../case/case-state.ts';
import { badAnswer } from '../models/bad-answer.ts';
import type { CallResult } from '../models/model-port.ts';
import type { CheckVerdict } from './check-verdict.ts';
import { freshMarker } from './fresh-marker.ts';
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
  const tried = await measuringCall<JudgeVerdict>(context, async (signal) => {
    const request = judgeRequest(check, response, freshMarker([response, check.expected_answer], context.ports.random));
    return readVerdict(await context.ports.models.chat(model, request, signal));
  });
  if (!tried.ok) return failed(tried.failure.message);
  const judgement = tried.value.passed ? 'pass' : 'fail';
  return { status: judgement, details: { judgement, reasoning: tried.value.reasoning } };
}

function readVerdict(answered: CallResult<{ text: string }>): CallResult<JudgeVerdict> {
  if (!answered.ok) return answered;
  const verdict = parseJudgeAnswer(answered.value.text, { allowsFence: true });
  if (verdict) return { ok: true, value: verdict };
  const { ok, failure } = badAnswer('The judge gave no usable verdict');
  return { ok, failure: { ...failure, retryable: true } };
}

function failed(error: string): CheckVerdict {
  return { status: 'error', details: { judgement: 'error' }, error };
}
