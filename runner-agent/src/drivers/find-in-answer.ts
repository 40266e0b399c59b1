import type { JsonValue } from '@proofmark/contracts/canonical-json';
import { answerSteps } from '@proofmark/contracts/json-path';

/** What stands at a path: one value, or those of a list that `[*]` went through. */
interface Found {
  values: JsonValue[];
  /** A list was gone through, be it an empty one. */
  isMany: boolean;
}

/** The values at a path of an answer; none where it leads nowhere. Own keys only. */
export function findInAnswer(path: string, answer: JsonValue): Found {
  let found: Found = { values: [answer], isMany: false };
  for (const step of answerSteps(path) ?? []) {
    if (step.every) {
      const lists = found.values.filter(Array.isArray);
      found = { values: lists.flat(), isMany: found.isMany || lists.length > 0 };
    } else found = { ...found, values: found.values.flatMap((value) => entryAt(value, step.key)) };
  }
  return found;
}

/** The first value at the path. */
export const valueIn = (path: string | undefined, answer: JsonValue): JsonValue | undefined =>
  path === undefined ? undefined : findInAnswer(path, answer).values[0];

function entryAt(value: JsonValue, key: string | number): JsonValue[] {
  if (Array.isArray(value)) {
    const place = typeof key === 'number' ? key : /^\d{1,6}$/.test(key) ? Number(key) : Number.NaN;
    const entry = value.at(place);
    return Number.isNaN(place) || entry === undefined ? [] : [entry];
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, String(key))) return [];
  return [value[String(key)] ?? null];
}
