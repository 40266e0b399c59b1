import type { ErrorKind } from '@proofmark/contracts/error-kind';
import { trialOutcome } from '@proofmark/contracts/error-kind';
import { plural } from '../text/format-numbers.ts';
import type { Trial } from './count-trials.ts';
import type { CommonError } from './verdict-words.ts';

const maxErrorUnits = 200;

const invalidNouns: Partial<Record<ErrorKind, string>> = {
  judge: 'judge error',
  simulator: 'simulator error',
  mock: 'mock error',
  files: 'file error',
  lost: 'lost test run',
};

/** Counted reasons why trials have no result: `8 agent errors`, `2 judge errors`. Skipped ones are not among them. */
export function missingReasons(trials: readonly Trial[]): string[] {
  const nouns = trials.flatMap(({ status, errorKind }) => nounOf(trialOutcome(status, errorKind), errorKind) ?? []);
  return [...Map.groupBy(nouns, (noun) => noun)].map(([noun, all]) => plural(all.length, noun));
}

function nounOf(outcome: ReturnType<typeof trialOutcome>, errorKind: ErrorKind | null): string | null {
  if (outcome === 'errored') return 'agent error';
  if (outcome !== 'invalid') return null;
  return (errorKind && invalidNouns[errorKind]) ?? 'measuring error';
}

/** The error text that agents gave most often, of equally frequent ones the first; null when none gave any. */
export function mostCommonError(trials: readonly Trial[]): CommonError | null {
  const texts = trials
    .filter(({ status, errorKind }) => trialOutcome(status, errorKind) === 'errored')
    .flatMap(({ errorMessage }) => oneLine(errorMessage ?? '') || []);
  const groups = [...Map.groupBy(texts, (text) => text)].map(([text, all]) => ({ text, count: all.length }));
  return groups.toSorted((a, b) => b.count - a.count)[0] ?? null;
}

function oneLine(message: string): string {
  const text = message.replaceAll(/\s+/g, ' ').trim();
  return text.length > maxErrorUnits ? `${text.slice(0, maxErrorUnits - 1)}…` : text;
}

/** How many cases were skipped, and why. */
export function skippedReasons(trials: readonly Trial[]): { cases: number; reasons: string[] } {
  const skipped = trials.filter(({ status }) => status === 'skipped');
  const names = new Set(skipped.map(({ caseName }) => caseName));
  return { cases: names.size, reasons: [...new Set(skipped.flatMap(({ skipReason }) => skipReason ?? []))] };
}
