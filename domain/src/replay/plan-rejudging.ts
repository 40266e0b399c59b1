import type { CaseOutcome, ConversationFacts, ToolCall } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import type { RecordedConversation } from '@proofmark/contracts/recorded-conversation';
import { canJudgeAgain } from '../plan/comparability-key.ts';
import { maxResponseCharacters } from '../results/kept-text.ts';

/** Why a stored conversation cannot be judged again: texts of it were cut, or they were not kept at all. */
export type RecordingGap = 'cut' | 'missing';

type Recording = { ok: true; recorded: RecordedConversation } | { ok: false; gap: RecordingGap };

/** What a judge left behind. Judging again makes it anew. */
const flagsOfJudging = ['injection_attempt', 'suspected_injection', 'simulation_not_reviewed'];

/**
 * The conversation of a stored test run as work for another look of a judge. One of which a part is not there any more is
 * refused: a judge that sees less than the first one did would measure something else.
 */
export function recordConversation(testRunId: string, outcome: CaseOutcome): Recording {
  const gap = gapOf(outcome);
  if (gap !== null) return { ok: false, gap };
  const { testInput, files, transcript, toolCalls, mocks, model, usage, latencyMs, retryCount } = outcome;
  const response = wholeResponse(outcome);
  const { costUsd } = outcome;
  const conversation = outcome.conversation && withoutReview(outcome.conversation);
  const recorded: RecordedConversation = {
    ...{ testRunId, testInput, files, response, transcript, toolCalls },
    ...(conversation && { conversation }),
    ...(mocks && { mocks }),
    ...{ model, usage, latencyMs, retryCount },
    ...(usage === null && costUsd !== null && { toldCostUsd: costUsd }),
    flags: outcome.flags.filter((flag) => !flagsOfJudging.includes(flag)),
    error: isJudged(outcome) ? null : { kind: outcome.errorKind ?? 'lost', message: outcome.errorMessage ?? '' },
  };
  return { ok: true, recorded };
}

/** Whether the conversation came to its end: what broke afterwards broke on the side that judges. */
function isJudged({ status, errorKind, response, conversation }: CaseOutcome): boolean {
  if (status !== 'error') return true;
  if (response === null) return false;
  return errorKind === 'judge' || (errorKind === 'simulator' && conversation?.review !== undefined);
}

function gapOf(outcome: CaseOutcome): RecordingGap | null {
  if (outcome.flags.includes('evidence_cut')) return 'cut';
  if (outcome.truncated && wholeResponse(outcome) === outcome.response) return 'cut';
  if (outcome.transcript.some(({ text }) => isAtLimit(text)) || outcome.toolCalls.some(isCut)) return 'cut';
  return outcome.response !== null && outcome.transcript.length === 0 ? 'missing' : null;
}

/** A long answer is stored cut, and stands whole in the transcript as the last thing that the agent said. */
function wholeResponse({ response, truncated, transcript }: CaseOutcome): string | null {
  if (!truncated || response === null) return response;
  const said = transcript.findLast(({ role }) => role === 'agent')?.text;
  return said?.startsWith(response) === true ? said : response;
}

/** Of a turn nothing says that it was cut. Exactly as long as a cut one: it may have been. */
const isAtLimit = ({ length }: string): boolean =>
  length === maxResponseCharacters || length === maxResponseCharacters - 1;

/** What was cut is a text, whatever it was before. */
const isCut = ({ result }: ToolCall): boolean => typeof result === 'string' && isAtLimit(result);

/** Whether somebody has looked for faults of the simulated person depends on the verdict that is given anew. */
function withoutReview({ review: _review, ...facts }: ConversationFacts): ConversationFacts {
  return facts;
}

/** A case of the head with what is done for one repetition of it. */
interface HeadTask {
  comparabilityKey: string;
  work: CaseWork;
}

/** What the base once said to a case of that name. What is not kept is null. */
export interface StoredAnswer {
  testRunId: string;
  comparabilityKey: string;
  work: CaseWork | null;
  outcome: CaseOutcome | null;
}

/**
 * What judging all stored answers of one case anew takes: the base's agent and its words, the head's judge. Nothing when
 * one of them is not kept whole, because the others would be a chosen sample, or when more changed than the judge.
 */
export function planRejudging<Answer extends StoredAnswer>(
  head: HeadTask,
  answers: readonly Answer[],
): { answer: Answer; work: CaseWork }[] {
  const planned = answers.flatMap((answer) => {
    const work = workOf(head, answer);
    return work === null ? [] : [{ answer, work }];
  });
  return planned.length === answers.length ? planned : [];
}

function workOf(head: HeadTask, { testRunId, comparabilityKey, work, outcome }: StoredAnswer): CaseWork | null {
  const { instrument, limits, case: testCase } = head.work;
  const isSimulated = instrument.simulator !== null;
  if (work === null || outcome === null) return null;
  if (!canJudgeAgain(comparabilityKey, head.comparabilityKey, { isSimulated })) return null;
  const recording = recordConversation(testRunId, outcome);
  if (!recording.ok) return null;
  // What was in the files stands in the recording.
  const { contents: _contents, ...asked } = work;
  return { ...asked, case: testCase, instrument, limits, variant: 'baseline', recorded: recording.recorded };
}
