import type { ChangedPart, JudgedAgain } from '@proofmark/contracts/verdict';
import { canJudgeAgain, changedParts } from '../plan/comparability-key.ts';
import { groupByCase, type Trial } from './count-trials.ts';

/** The stored trials of a base and what their answers came to when the head's judge saw them. */
export interface Rejudged {
  stored: readonly Trial[];
  again: readonly Trial[];
}

const sameTrial = ({ caseName, repetition }: Trial): string => JSON.stringify([caseName, repetition ?? null]);

/**
 * The stored trials, each with the verdict of the head's judge where there is one; what the answer took and cost stays
 * what it was. One that nobody judged again stays what it was, and is not comparable.
 */
export function withJudgedAgain({ stored, again }: Rejudged): Trial[] {
  const byTrial = new Map(again.filter(isJudged).map((trial) => [sameTrial(trial), trial]));
  return stored.map((trial) => {
    const judged = byTrial.get(sameTrial(trial));
    if (judged === undefined) return trial;
    const { status, errorMessage = null, comparabilityKey } = judged;
    return { ...trial, status, errorKind: errorOf(trial, judged), errorMessage, comparabilityKey };
  });
}

const isJudged = ({ status }: Trial): boolean => status !== 'skipped';

/** Only what broke when the agent was asked is the agent's: whatever else went wrong went wrong in judging. */
function errorOf(stored: Trial, { status, errorKind }: Trial): Trial['errorKind'] {
  if (status !== 'error') return null;
  return stored.status === 'error' && stored.errorKind === errorKind ? errorKind : 'judge';
}

/** Names of the cases of which both sides have answers, and each side a judge of its own. */
export function judgedOtherwise(stored: readonly Trial[], head: readonly Trial[]): Set<string> {
  const keys = new Map(head.map(({ caseName, comparabilityKey }) => [caseName, comparabilityKey]));
  const isOtherwise = ({ caseName, comparabilityKey }: Trial): boolean => {
    const key = keys.get(caseName);
    return key !== undefined && canJudgeAgain(comparabilityKey, key, { isSimulated: false });
  };
  return new Set(stored.filter(isOtherwise).map(({ caseName }) => caseName));
}

interface Question extends Rejudged {
  head: readonly Trial[];
  commit: string | null;
}

/** What a verdict tells of it; null when the judge did not change, or other things did. */
export function describeJudgedAgain({ stored, again, head, commit }: Question): JudgedAgain | null {
  const keys = new Map(head.map(({ caseName, comparabilityKey }) => [caseName, comparabilityKey]));
  const changed = [...groupByCase(stored.filter(isJudged))].flatMap(([caseName, trials]) => {
    const key = keys.get(caseName);
    const [first] = trials;
    if (key === undefined || first === undefined) return [];
    const isAnotherJudge = canJudgeAgain(first.comparabilityKey, key, { isSimulated: false });
    return isAnotherJudge ? [{ caseName, parts: changedParts(first.comparabilityKey, key) }] : [];
  });
  if (changed.length === 0) return null;
  const judged = new Set(again.filter(isJudged).map(({ caseName }) => caseName));
  const known = new Set(again.map(({ caseName }) => caseName));
  return {
    answers: again.filter(isJudged).length,
    cases: changed.filter(({ caseName }) => judged.has(caseName)).length,
    leftOut: changed.filter(({ caseName }) => !known.has(caseName)).length,
    unjudged: again.length - again.filter(isJudged).length,
    changedParts: inOrder(changed.flatMap(({ parts }) => parts)),
    commit,
  };
}

const inOrder = (parts: readonly ChangedPart[]): ChangedPart[] => [...new Set(parts)];
