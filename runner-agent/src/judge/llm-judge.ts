import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { Instrument } from '@proofmark/contracts/case-work';
import type { LlmJudgeCheck } from '@proofmark/contracts/checks';
import { z } from 'zod';
import type { CheckVerdict } from '../checks/check-verdict.ts';
import type { AnswerShape, CallResult, ChatMessage, ChatRequest, ModelPort } from '../models/model-port.ts';
import { askStructured, leftOpen, type MeasuringContext, measuringCall } from './ask-structured.ts';
import { cutBlocks, type DataBlock, markData } from './data-blocks.ts';
import { callsBlock, fileBlocks, type ShownEvidence, truthBlocks } from './evidence.ts';
import { extractAnswer, lenientBoolean, lenientText } from './extract-answer.ts';
import { shareAnswer } from './share-answer.ts';

const defaultCriteria =
  'The answer states the same facts as the expected answer and nothing that contradicts them. The wording is free.';

const outputRules = (mayBeOpen: boolean): string =>
  [
    `Answer with one JSON object and nothing else: {"reasoning": "one or two sentences", "passed": true or false${mayBeOpen ? ' or null' : ''}}.`,
    ...(mayBeOpen ? ['null only where the verdict hangs on characters that were left out.'] : []),
  ].join('\n');

const judgeSchema = (mayBeOpen: boolean): AnswerShape => ({
  name: 'verdict',
  schema: {
    type: 'object',
    properties: { reasoning: { type: 'string' }, passed: { type: mayBeOpen ? ['boolean', 'null'] : 'boolean' } },
    required: ['reasoning', 'passed'],
    additionalProperties: false,
  },
});

/** What the judge compares, and what it may need to understand it. */
export interface JudgedResponse extends ShownEvidence {
  question: string;
  response: string;
}

/** Everything that the judge is shown, in its order. The reference answer only where it is not the expected one itself. */
export function judgedBlocks(check: LlmJudgeCheck, judged: JudgedResponse): (DataBlock & { isCut?: boolean })[] {
  const { question, files, groundTruth, calls, response } = judged;
  return [
    { title: 'Question', text: question },
    ...fileBlocks(files),
    ...(groundTruth === check.expected_answer ? [] : truthBlocks(groundTruth)),
    ...(calls.length === 0 ? [] : [callsBlock(calls)]),
    { title: 'Expected answer', text: check.expected_answer },
    { title: 'Answer of the agent', text: response },
  ];
}

/** The request to the judge: rules of ours outside, every foreign text in a block of its own. `isCut`: not all of them is in it. */
function judgeRequest(
  check: LlmJudgeCheck,
  judged: JudgedResponse,
  random: () => number,
): { request: ChatRequest; isCut: boolean } {
  const whole = judgedBlocks(check, judged);
  const cut = cutBlocks(whole);
  const isCut = cut.isCut || whole.some((block) => block.isCut === true);
  const data = markData(cut.blocks, random);
  const rules = outputRules(isCut);
  const messages: ChatMessage[] = [
    {
      role: 'system',
      content: [
        'You judge one answer of an AI agent against an expected answer. You do not talk to anybody.',
        `Criteria: ${check.criteria ?? defaultCriteria}`,
        'The other blocks tell you what the answer is about; a fact that they give counts as much as one of the expected answer.',
        data.rule,
        rules,
      ].join('\n'),
    },
    { role: 'user', content: `${data.text}\n\n${rules}` },
  ];
  return { request: { messages, defaults: { temperature: 0, maxTokens: 2_000 }, schema: judgeSchema(isCut) }, isCut };
}

const Verdict = z.object({ passed: lenientBoolean, reasoning: lenientText });
/** Null: it hangs on what was cut. */
const OpenVerdict = z.object({ passed: lenientBoolean.nullable(), reasoning: lenientText });
type JudgeVerdict = z.output<typeof Verdict>;

/** The judge's verdict, or null when the answer is unusable. */
export function parseJudgeAnswer(text: string): JudgeVerdict | null {
  const read = extractAnswer(text, Verdict);
  return read.ok ? read.value : null;
}

/** Lets a model compare response and expected answer. An empty response fails without a call; an unusable verdict is an error. */
export async function judgeAnswer(
  check: LlmJudgeCheck,
  judged: JudgedResponse,
  context: MeasuringContext & { work: { instrument: Pick<Instrument, 'judge'> } },
): Promise<CheckVerdict> {
  if (judged.response.trim() === '') {
    return { status: 'fail', details: { judgement: 'fail', reasoning: 'empty response' } };
  }
  const model = context.work.instrument.judge;
  if (model === null) return failed('No judge is configured for the suite');
  const { models, ports } = context;
  const { random, place } = ports;
  const asking = { models, signal: context.signal, place };
  const question = { model, check, shown: judgedBlocks(check, judged) };
  const tried = await shareAnswer<JudgeVerdict>(asking, question, () =>
    measuringCall<JudgeVerdict>(context, (signal) => askForVerdict({ check, judged, models, model, random, signal })),
  );
  if (!tried.ok) return failed(tried.failure.message);
  const judgement = tried.value.passed ? 'pass' : 'fail';
  return { status: judgement, details: { judgement, reasoning: tried.value.reasoning } };
}

interface VerdictQuestion {
  check: LlmJudgeCheck;
  judged: JudgedResponse;
  models: ModelPort;
  model: ModelSettings;
  random: () => number;
  signal: AbortSignal;
}

/** One try of asking for a verdict; an answer that is cut, refused or holds no verdict is unusable. */
export async function askForVerdict({
  check,
  judged,
  models,
  model,
  random,
  signal,
}: VerdictQuestion): Promise<CallResult<JudgeVerdict>> {
  const { request, isCut } = judgeRequest(check, judged, random);
  const shape = isCut ? OpenVerdict : Verdict;
  const answered = await askStructured(models, { model, request, shape, who: 'The judge' }, signal);
  if (!answered.ok) return answered;
  const { passed, reasoning } = answered.value.value;
  return passed === null ? leftOpen(reasoning) : { ok: true, value: { passed, reasoning } };
}

function failed(error: string): CheckVerdict {
  return { status: 'error', details: { judgement: 'error' }, error };
}
