import type { JudgedAgain, Phrase } from '@proofmark/contracts/verdict';
import { plural } from '../text/format-numbers.ts';
import type { BaseWords } from './base-words.ts';
import { changedSubject } from './changed-words.ts';

/** Why the base has other results here than in its own run; nothing where no stored answer was judged again. */
export function judgedAgainLine(judgedAgain: JudgedAgain | null, { name }: BaseWords): Phrase {
  if (judgedAgain === null || judgedAgain.answers === 0) return [];
  const { answers, leftOut, unjudged, changedParts, commit } = judgedAgain;
  const since: Phrase = commit === null ? [' since then'] : [' since ', { code: commit.slice(0, 7) }];
  const told = `: ${plural(answers, 'stored answer')} of ${name} ${wasOrWere(answers)} judged again.`;
  const missing = [
    ...(leftOut === 0 ? [] : [` ${plural(leftOut, 'case')} left out: an answer is not kept whole.`]),
    ...(unjudged === 0 ? [] : [` ${plural(unjudged, 'answer')} ${wasOrWere(unjudged)} not judged again in time.`]),
  ];
  return [`${changedSubject(changedParts)} changed`, ...since, `${told}${missing.join('')}`];
}

const wasOrWere = (count: number): string => (count === 1 ? 'was' : 'were');
