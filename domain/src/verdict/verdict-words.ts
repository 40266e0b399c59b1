import type { CaseComparison, Phrase, TrialCounts } from '@proofmark/contracts/verdict';
import { formatLimit, formatPoints, formatProbability, formatRate, formatShare, plural } from './format-numbers.ts';
import type { GateResult } from './gate.ts';

/** The two texts that a verdict prints: the title of its check, and the first paragraph below it. */
export interface VerdictWords {
  title: string;
  paragraph: Phrase;
}

export const scored = (counts: TrialCounts): number => counts.passed + counts.failed;

export function regressedSuite(gate: GateResult, compared: readonly CaseComparison[]): VerdictWords {
  const change = `pass rate ${formatRate(gate.basePassRate * 100)} → ${formatRate(gate.headPassRate * 100)}`;
  return {
    title: `Regressed: ${change} (${formatPoints(gate.diff * 100)})`,
    paragraph: [
      [
        `${plural(compared.length, 'case')}, ${trialsPerCase(compared)}.`,
        `Without a real change a drop this large shows up in ${formatShare(gate.midp)} of comparisons (mid-p ${formatProbability(gate.midp)}).`,
        `95% interval ${interval(gate)} points.`,
      ].join(' '),
    ],
  };
}

export function regressedCases(gate: GateResult, broken: readonly CaseComparison[]): VerdictWords {
  const counts = broken.flatMap(
    (one): Phrase => [{ code: one.caseName }, ` ${share(one.head)}, was ${share(one.base)}. `],
  );
  const suite = `Suite as a whole: ${formatRate(gate.basePassRate * 100)} → ${formatRate(gate.headPassRate * 100)}.`;
  return { title: `Regressed: ${plural(broken.length, 'case')} broke`, paragraph: [...counts, suite] };
}

export function regressedByErrors(head: TrialCounts, base: TrialCounts): VerdictWords {
  return {
    title: `Regressed: no answer in ${head.errored} of ${plural(head.planned, 'test run')}`,
    paragraph: [`The base failed to answer in ${base.errored} of ${base.planned}.`],
  };
}

export function suspected(gate: GateResult): VerdictWords {
  return {
    title: `Possible regression: ${formatPoints(gate.diff * 100)}, not proven`,
    paragraph: [`A drop like this appears by chance in ${formatShare(gate.midp)} of comparisons.`],
  };
}

export function improved(gate: GateResult): VerdictWords {
  const change = `pass rate ${formatRate(gate.basePassRate * 100)} → ${formatRate(gate.headPassRate * 100)}`;
  return {
    title: `Improved: ${change} (${formatPoints(gate.diff * 100)})`,
    paragraph: [`Chance would do this in ${formatShare(gate.midpImprove)} of comparisons.`],
  };
}

export function unchanged(gate: GateResult, alertPoints: number): VerdictWords {
  return {
    title: `No regression beyond ${alertPoints} points`,
    paragraph: [
      `${formatRate(gate.basePassRate * 100)} → ${formatRate(gate.headPassRate * 100)}; the 95% interval ${interval(gate, '+')} points rules out a drop of ${alertPoints} points.`,
    ],
  };
}

export function inconclusive(gate: GateResult): VerdictWords {
  const possible = Math.max(0, -gate.ciLo * 100).toFixed(1);
  return {
    title: 'Not enough evidence',
    paragraph: [`Nothing suspicious, but a drop of up to ${possible} points is still possible.`],
  };
}

export function insufficient(
  compared: number,
  planned: number,
  minCoveragePercent: number,
  head: TrialCounts,
): VerdictWords {
  const missing = [
    head.errored > 0 ? plural(head.errored, 'agent error') : '',
    head.invalid > 0 ? plural(head.invalid, 'measuring error') : '',
  ].filter((part) => part !== '');
  return {
    title: `Not compared: results for ${compared} of ${plural(planned, 'case')}`,
    paragraph: [`${minCoveragePercent}% are needed.${missing.length > 0 ? ` Missing: ${missing.join(', ')}.` : ''}`],
  };
}

export function noBaseline(reason: 'no_base' | 'not_comparable', casesPassed: number, cases: number): VerdictWords {
  if (reason === 'no_base') {
    return {
      title: `No baseline yet: ${casesPassed}/${cases} passed`,
      paragraph: ['The next run on the base branch makes one.'],
    };
  }
  return {
    title: 'No baseline: the measuring setup changed',
    paragraph: [
      'The cases, the judge or another part of the measurement differ from the base. A run on the base branch with the new setup makes a base.',
    ],
  };
}

export function nothingScored(head: TrialCounts, skippedTestRuns: number): VerdictWords {
  if (head.planned === 0) {
    return {
      title: 'No case was executed',
      paragraph: [`${plural(skippedTestRuns, 'test run')} selected, ${skippedTestRuns} skipped.`],
    };
  }
  const errors = head.errored + head.invalid;
  return {
    title: `No verdict: errors in ${errors} of ${plural(head.planned, 'test run')}`,
    paragraph: [
      `${plural(head.errored, 'agent error')}, ${plural(head.invalid, 'measuring error')}. Nothing was judged.`,
    ],
  };
}

/** `0/3`, or `n/a` for a side that has no trial. */
export function share(counts: TrialCounts | null): string {
  return counts === null || scored(counts) === 0 ? 'n/a' : `${counts.passed}/${scored(counts)}`;
}

function trialsPerCase(compared: readonly CaseComparison[]): string {
  const [headMin, headMax] = extremes(compared.map((one) => (one.head === null ? 0 : scored(one.head))));
  const [baseMin, baseMax] = extremes(compared.map((one) => (one.base === null ? 0 : scored(one.base))));
  const head = headMin === headMax ? plural(headMin, 'repetition') : `${headMin} to ${headMax} repetitions`;
  const base = baseMin === baseMax ? `${baseMin}` : `${baseMin} to ${baseMax}`;
  return `${head} each, against ${base} on the base`;
}

function extremes(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
}

function interval(gate: GateResult, plus = ''): string {
  const high = formatLimit(gate.ciHi * 100);
  return `${formatLimit(gate.ciLo * 100)} to ${gate.ciHi > 0 ? plus : ''}${high}`;
}
