import type { Phrase, Planning } from '@proofmark/contracts/verdict';
import { plural } from '../text/format-numbers.ts';

/** No suite may repeat more often. */
const mostRepetitions = 100;

/** How a suspicion can be settled; `canAsk`: somebody can press "Confirm". */
export function settlingAdvice(planning: Planning | null, canAsk: boolean): Phrase {
  const confirm = canAsk ? 'Confirm runs all cases again' : '';
  if (planning === null || !isPossible(planning)) return confirm === '' ? [] : [` ${confirm}.`];
  const raise: Phrase = [
    { code: 'repetitions' },
    ` to ${planning.neededRepetitions} to prove or rule out ${pointsText(planning.dropPoints)}.`,
  ];
  return [confirm === '' ? ' Raise ' : ` ${confirm}, or raise `, ...raise];
}

/** How many repetitions a verdict that says nothing yet would need. */
export function evidenceAdvice(planning: Planning | null): string {
  if (planning === null) return '';
  const { dropPoints, neededRepetitions: needed, repetitions, baseTrials, cases } = planning;
  const points = pointsText(dropPoints);
  if (needed === null) {
    return ` No number of repetitions shows ${points} against ${trials(baseTrials ?? 1)} of the base per case: the base has to run more often.`;
  }
  // The interval is stricter than the plan: what has been run already was not enough.
  const wanted = Math.max(needed, repetitions + 1);
  if (wanted > mostRepetitions) {
    return ` For ${points} ${plural(cases, 'case')} would need ${wanted} repetitions each: add cases.`;
  }
  return ` For ${points} run ${plural(wanted, 'repetition')} per case (now ${repetitions}).`;
}

/** What the trials of this comparison can show at all; `isAdvised`: the paragraph has said already how many are needed. */
export function planningLine(planning: Planning | null, isAdvised: boolean): Phrase {
  if (planning === null) return [];
  const { cases, repetitions, baseTrials, detectablePoints, dropPoints, neededRepetitions: needed } = planning;
  const against = baseTrials === null ? 'as many base trials' : `${plural(baseTrials, 'base trial')} each`;
  const given = `${plural(cases, 'case')}, ${plural(repetitions, 'repetition')} and ${against}`;
  // More than everything cannot be lost: such a suite is too small to see any drop reliably.
  const shown =
    detectablePoints > 100
      ? 'are too few to show any drop.'
      : `show drops of ${pointsText(detectablePoints)} or more in 4 of 5 comparisons.`;
  const isMoreNeeded = !isAdvised && needed !== null && needed > repetitions && needed <= mostRepetitions;
  const more = isMoreNeeded ? ` For ${pointsText(dropPoints)} run ${plural(needed, 'repetition')} per case.` : '';
  return [`${given} ${shown}${more}`];
}

function isPossible({ neededRepetitions }: Planning): boolean {
  return neededRepetitions !== null && neededRepetitions <= mostRepetitions;
}

const trials = (count: number): string => plural(count, 'trial');

/** `10 points`, `6.5 points`, `1 point`. */
function pointsText(points: number): string {
  const text = points.toFixed(1).replace(/\.0$/, '');
  return `${text} ${text === '1' ? 'point' : 'points'}`;
}
