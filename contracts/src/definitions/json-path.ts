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
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A path into a JSON answer; one with a variable in it is known only when the variable is. */
export const JsonPath = VisibleText.refine(
  (path) => path.includes('{{') || pathSteps(path) !== undefined,
  refusal('invalid_format', 'is not a path such as items[0].id or $["odd key"].x'),
);
