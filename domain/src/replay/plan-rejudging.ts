import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { canJudgeAgain } from '../plan/comparability-key.ts';
import { recordConversation } from './record-conversation.ts';

/** A case of the head with what is done for one repetition of it. */
export interface HeadTask {
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
