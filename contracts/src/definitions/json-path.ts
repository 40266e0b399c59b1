import { parseJson } from '../identity/parse-json.ts';
import { refusal, VisibleText } from './texts.ts';

/**
 * `items[0].score` and `["odd key"].x` as keys; a leading `$` is left out. Undefined for anything else, wildcards and
 * filters included: a path leads to one value.
 */
export function pathSteps(path: string): string[] | undefined {
  const steps: string[] = [];
  let rest = path.trim().replace(/^\$(?=[.[]|$)/, '');
  while (rest !== '') {
    const match = /^\[(\d+)\]|^\[("(?:[^"\\]|\\.)*")\]|^\['([^']*)'\]|^\.?([^.[\]"]+)/.exec(rest);
    if (!match) return undefined;
    const [whole, index, quoted, simple, name] = match;
    const isFirst = steps.length === 0;
    if (name !== undefined && !isFirst && !whole.startsWith('.')) return undefined;
    const key = quoted === undefined ? (index ?? simple ?? name) : unquoted(quoted);
    if (key === undefined) return undefined;
    steps.push(key);
    rest = rest.slice(whole.length);
  }
  return steps;
}

function unquoted(text: string): string | undefined {
  const value = parseJson(text);
  return typeof value === 'string' ? value : undefined;
}

/** A path into a JSON answer; one with a variable in it is known only when the variable is. */
export const JsonPath = VisibleText.refine(
  (path) => path.includes('{{') || pathSteps(path) !== undefined,
  refusal('invalid_format', 'is not a path such as items[0].id or $["odd key"].x'),
);

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
