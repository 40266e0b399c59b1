import type { JsonValue } from '@proofmark/contracts/canonical-json';
import { parseJson } from '@proofmark/contracts/parse-json';
import { isTooDeep } from '../models/json-depth.ts';

/** How far one opening is followed, and all of them together: a text of brackets alone must not keep us busy. */
const longestValue = 100_000;
const mostLooked = 1_000_000;

/** The JSON objects and lists that stand in a text, whatever stands around them, in their order. */
export function jsonInText(text: string): JsonValue[] {
  const found: JsonValue[] = [];
  let looked = 0;
  for (let start = nextOpening(text, 0); start !== -1 && looked < mostLooked; ) {
    const end = endOfValue(text, start);
    looked += (end ?? Math.min(text.length, start + longestValue)) - start;
    const value = end === undefined ? undefined : readPart(text.slice(start, end));
    if (value !== undefined) found.push(value);
    start = nextOpening(text, value === undefined ? start + 1 : (end ?? start + 1));
  }
  return found;
}

const readPart = (part: string): JsonValue | undefined =>
  // JSON.parse gives JSON.
  isTooDeep(part) ? undefined : (parseJson(part) as JsonValue | undefined);

function nextOpening(text: string, from: number): number {
  const places = [text.indexOf('{', from), text.indexOf('[', from)].filter((place) => place !== -1);
  return places.length === 0 ? -1 : Math.min(...places);
}

/** What counts of a value's text: brackets, and whole strings, in which brackets are text. */
const token = /"(?:[^"\\]|\\[\s\S])*"|[[\]{}]/g;

/** Behind the bracket that closes the one at `start`. */
function endOfValue(text: string, start: number): number | undefined {
  let depth = 0;
  for (const match of text.slice(start, start + longestValue).matchAll(token)) {
    const [found] = match;
    if (found === '{' || found === '[') depth += 1;
    if (found === '}' || found === ']') depth -= 1;
    if (depth === 0) return start + match.index + 1;
  }
  return undefined;
}
