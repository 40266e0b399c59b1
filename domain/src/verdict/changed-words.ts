import type { CaseComparison, ChangedPart, Phrase } from '@proofmark/contracts/verdict';
import { plural } from '../text/format-numbers.ts';

const words: Record<ChangedPart, string> = {
  case: 'the case itself',
  judge: 'the judge',
  simulator: 'the simulated user',
  mock: 'the mocks',
  embedding: 'the embedding model',
  metrics: 'the metrics',
  limits: 'the limits',
  evaluator: 'the evaluator of Proofmark',
  ai_configuration: 'the AI configuration',
  setting: 'the values of the run',
  measurement: 'the measurement',
};

/** Of one case: `the judge, the mocks`. */
export const changedPartWords = ({ changedParts }: Pick<CaseComparison, 'changedParts'>): string =>
  changedParts.map((part) => words[part]).join(', ');

/** Of several cases: `the judge` when that is all, else `the judge in 12 cases, the case itself in 2 cases`. */
export function changedOverall(cases: readonly CaseComparison[]): string {
  const parts = cases.flatMap(({ changedParts }) => changedParts);
  const counts = [...Map.groupBy(parts, (part) => part)].map(([part, all]) => ({ part, count: all.length }));
  if (counts.every(({ count }) => count === cases.length)) return counts.map(({ part }) => words[part]).join(', ');
  return counts
    .toSorted((a, b) => b.count - a.count)
    .map(({ part, count }) => `${words[part]} in ${plural(count, 'case')}`)
    .join(', ');
}

/** At the beginning of a sentence: `The judge and the metrics`. */
export function changedSubject(parts: readonly ChangedPart[]): string {
  const named = parts.map((part) => words[part]);
  const [last = '', ...before] = named.toReversed();
  const list = before.length === 0 ? last : `${before.toReversed().join(', ')} and ${last}`;
  return `${list.slice(0, 1).toUpperCase()}${list.slice(1)}`;
}

/** Whether nothing but cases changed: then the measurement is the same as before. */
export const isOnlyCases = (cases: readonly CaseComparison[]): boolean =>
  cases.every(({ changedParts }) => changedParts.every((part) => part === 'case'));

/** Names, each followed by what `told` says of it; of many the first ones. */
export function namesWith(
  cases: readonly CaseComparison[],
  most: number,
  told: (one: CaseComparison) => string,
): Phrase {
  const shown = cases.slice(0, most).flatMap((one, index): Phrase => {
    const note = told(one);
    return [index === 0 ? '' : ', ', { code: one.caseName }, note === '' ? '' : ` (${note})`];
  });
  const more = cases.length > most ? [` and ${cases.length - most} more`] : [];
  return [...shown, ...more].filter((part) => part !== '');
}
