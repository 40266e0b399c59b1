import { type ErrorKind, trialOutcome } from '@proofmark/contracts/error-kind';
import type { CaseComparison, Planning, Verdict } from '@proofmark/contracts/verdict';
import { changedOverall } from '../plan/comparability-key.ts';
import { plural } from '../text/format-numbers.ts';
import { alertOf } from './alert-of-cell.ts';
import { baseWords } from './base-words.ts';
import { scored, type Trial } from './count-trials.ts';
import { type GateInput, type GateLook, type GateMeasurement, type GateResult, judgeMeasurement } from './gate.ts';
import { alphaAtEnd, gateParameters } from './gate-settings.ts';
import { errorsRegressed } from './missing-trials.ts';
import { planRepetitions } from './plan-repetitions.ts';
import type { PreparedCell } from './prepare-cell.ts';
import type { CommonError } from './verdict-words.ts';
import * as words from './verdict-words.ts';

export interface FoundVerdict {
  word: Verdict['word'];
  reason: string | null;
  words: words.VerdictWords;
  /** Null when there was nothing for the gate to compare. */
  gate: GateResult | null;
}

/** A cell that the gate has measured; null when it had nothing to compare. */
export interface MeasuredCell {
  cell: PreparedCell;
  measured: GateMeasurement | null;
}

/** What cannot be judged first, then the ladder of the gate. */
export function findVerdict({ cell, measured }: MeasuredCell, look: GateLook): FoundVerdict {
  const { cases, compared, own, planned, input } = cell;
  const byErrors = errorsFinding(cell);
  if (byErrors !== null) return byErrors;
  if (own.passed + own.failed === 0) {
    const nothing = words.nothingScored(
      own,
      skippedReasons(input.head),
      missingReasons(input.head),
      mostCommonError(input.head),
    );
    return { word: 'error', reason: null, words: nothing, gate: null };
  }
  const withBase = cases.filter((one) => one.head !== null && one.base !== null && scored(one.base) > 0);
  if (withBase.length === 0) return noBaseline(cell);
  if (compared.length === 0 || measured === null) {
    const missing = words.insufficient(coverageOf(cell, planned), missingFrom(cell));
    return { word: 'insufficient', reason: null, words: missing, gate: null };
  }
  const gate = judgeMeasurement(measured, gateInput(cell), look);
  return climbed(cell, gate);
}

/** What the gate gets of a cell; the first look is stricter where every suspicion is confirmed at once. */
export function gateInput({ input, compared, counts, clusters, planned }: PreparedCell): GateInput {
  const { settings, canConfirm = false, fresh = null } = input;
  const isFirstLook = settings.gate.confirm === 'auto' && (canConfirm || fresh !== null);
  return {
    cases: counts,
    clusters,
    planned,
    quarantined: compared.flatMap((one, index) => (one.quarantined ? [index] : [])),
    ...gateParameters(settings, { isFirstLook, alpha: alphaAtEnd(input) }),
  };
}

/** How many repetitions would settle it; of the drop that alerts, or of another one. */
export function planOf({ cases, compared, input }: PreparedCell, dropPoints?: number): Planning | null {
  const planned = compared.length > 0 ? compared : cases;
  const sides = planned.flatMap(({ base, head }) => {
    if (head === null || scored(head) === 0) return [];
    const isKnown = base !== null && scored(base) > 0;
    return [{ base: isKnown ? passesOf(base) : null, head: passesOf(head) }];
  });
  return planRepetitions(sides, dropPoints ?? input.settings.alertThresholdPercent);
}

const passesOf = (counts: NonNullable<CaseComparison['base']>) => ({ passed: counts.passed, scored: scored(counts) });

function errorsFinding({ cases, input }: PreparedCell): FoundVerdict | null {
  const sides = errorsRegressed(cases, input.settings);
  if (sides === null) return null;
  const common = mostCommonError([...input.head, ...(input.pooled ?? [])]);
  const found = words.regressedByErrors(sides, baseWords(input.baseName), common);
  return { word: 'regressed', reason: 'errors', words: found, gate: null };
}

function noBaseline(cell: PreparedCell): FoundVerdict {
  const { cases, input } = cell;
  const base = baseWords(input.baseName);
  const changed = cases.filter((one) => one.notComparable);
  const finding = (reason: string, found: words.VerdictWords): FoundVerdict => ({
    ...{ word: 'no-baseline', reason, words: found, gate: null },
  });
  if (changed.length > 0)
    return finding(
      'not_comparable',
      words.notComparable(changed, base, { wasExecuted: input.isConcurrent === true, judgedAgain: input.judgedAgain }),
    );
  const onHead = cases.filter((one) => one.head !== null);
  const passed = onHead.filter((one) => one.headStatus === 'passed').length;
  // Where nothing was run as the base, nobody can say that it had other cases.
  const removed = input.base === null ? 0 : cases.length - onHead.length;
  const { isTyped = false } = input.settings;
  const counts = { passed, cases: onHead.length, removed, isTyped };
  // What nobody typed has the run before to be held against. Whoever types says what to compare with.
  const dropPoints = input.base === null && !isTyped ? alertOf(cell).drop : null;
  return finding(
    'no_base',
    dropPoints === null ? words.noBaseline(counts, base) : words.sinceBefore(counts, dropPoints),
  );
}

/** Why cases take no part: no result, or another case or measurement than before. */
function missingFrom({ cases, input }: PreparedCell): string[] {
  const changed = cases.filter((one) => one.notComparable);
  const changes =
    changed.length === 0 ? [] : [`${plural(changed.length, 'changed case')} (${changedOverall(changed)})`];
  return [...missingReasons(input.head), ...changes];
}

const coverageOf = ({ compared, input }: PreparedCell, planned: number) => ({
  compared: compared.length,
  planned,
  minCoveragePercent: input.settings.gate.min_coverage_percent,
});

/** What the ladder said, in words. */
export function climbed(cell: PreparedCell, gate: GateResult): FoundVerdict {
  const { compared, planned, input } = cell;
  const { settings } = input;
  const flagged = gate.flagged.flatMap((index) => compared[index] ?? []);
  const finding = (found: words.VerdictWords, reason: string | null = null): FoundVerdict => ({
    word: gate.verdict,
    reason,
    words: found,
    gate,
  });
  switch (gate.verdict) {
    case 'insufficient':
      return finding(words.insufficient(coverageOf(cell, planned), missingFrom(cell)));
    case 'regressed':
      return flagged.length > 0
        ? finding(words.regressedCases(gate, flagged), 'cases')
        : finding(words.regressedSuite(gate, compared, baseWords(input.baseName)), 'suite');
    case 'suspected':
      return finding(words.suspected(gate, settlingPlan(cell, gate), canAsk(input)));
    case 'improved':
      return finding(words.improved(gate));
    case 'unchanged':
      return finding(words.unchanged(gate, settings.alertThresholdPercent));
    case 'inconclusive':
      return finding(words.inconclusive(gate, planOf(cell)));
  }
}

/** A suite that would have seen the drop of the alert rule suspects a smaller one. */
function settlingPlan(cell: PreparedCell, gate: GateResult): Planning | null {
  const planning = planOf(cell);
  const isSeen = planning?.neededRepetitions != null && planning.neededRepetitions <= planning.repetitions;
  if (!isSeen) return planning;
  const smaller = planOf(cell, Math.max(0.1, -gate.diff * 100));
  return smaller?.neededRepetitions != null && smaller.neededRepetitions > smaller.repetitions ? smaller : null;
}

/** Somebody may ask for the rerun that confirms, and nobody has yet. */
function canAsk({ settings, canConfirm = false, fresh = null }: PreparedCell['input']): boolean {
  return settings.gate.confirm === 'manual' && canConfirm && fresh === null;
}

const maxErrorUnits = 200;

const invalidNouns: Partial<Record<ErrorKind, string>> = {
  judge: 'judge error',
  simulator: 'simulator error',
  mock: 'mock error',
  files: 'file error',
  lost: 'lost test run',
};

/** Counted reasons why trials have no result: `8 agent errors`, `2 judge errors`. Skipped ones are not among them. */
function missingReasons(trials: readonly Trial[]): string[] {
  const nouns = trials.flatMap(({ status, errorKind }) => nounOf(trialOutcome(status, errorKind), errorKind) ?? []);
  return [...Map.groupBy(nouns, (noun) => noun)].map(([noun, all]) => plural(all.length, noun));
}

function nounOf(outcome: ReturnType<typeof trialOutcome>, errorKind: ErrorKind | null): string | null {
  if (outcome === 'errored') return 'agent error';
  if (outcome !== 'invalid') return null;
  return (errorKind && invalidNouns[errorKind]) ?? 'measuring error';
}

/** The error text that agents gave most often, of equally frequent ones the first; null when none gave any. */
function mostCommonError(trials: readonly Trial[]): CommonError | null {
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
function skippedReasons(trials: readonly Trial[]): { cases: number; reasons: string[] } {
  const skipped = trials.filter(({ status }) => status === 'skipped');
  const names = new Set(skipped.map(({ caseName }) => caseName));
  return { cases: names.size, reasons: [...new Set(skipped.flatMap(({ skipReason }) => skipReason ?? []))] };
}
