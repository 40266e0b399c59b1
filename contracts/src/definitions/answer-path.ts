import { refusal, VisibleText } from './texts.ts';

/** One step into an answer: a key, a position (counted from the end where it is negative), or every entry of a list. */
export type AnswerStep = { every: true } | { every: false; key: string | number };

const step = /^(?:\[(-?\d{1,6}|\*)\]|\[(?:"([^"]*)"|'([^']*)')\]|\.?([^.[\]"'*]+))/;

/** `messages[-1].content[*].text` as steps; undefined for what is no such path. A leading `$` is left out. */
export function answerSteps(path: string): AnswerStep[] | undefined {
  const steps: AnswerStep[] = [];
  let rest = path.replace(/^\$(?=[.[]|$)/, '');
  if (rest === '') return path === '$' ? [] : undefined;
  while (rest !== '') {
    const match = step.exec(rest);
    const isApart = match?.[4] === undefined || steps.length === 0 || match[0].startsWith('.');
    if (!match || !isApart) return undefined;
    steps.push(stepOf(match));
    rest = rest.slice(match[0].length);
  }
  return steps;
}

function stepOf([, place, double, single, name]: RegExpExecArray): AnswerStep {
  if (place === '*') return { every: true };
  return { every: false, key: place === undefined ? (double ?? single ?? name ?? '') : Number(place) };
}

/** Where in the answer of a service something stands. */
export const AnswerPath = VisibleText.max(1_000).refine(
  (path) => answerSteps(path) !== undefined,
  refusal('invalid_format', 'is not a path such as reply.text, messages[-1].content or parts[*].text'),
);
