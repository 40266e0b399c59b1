import type { JsonValue } from '@proofmark/contracts/canonical-json';
import { pathSteps } from '@proofmark/contracts/json-path';

export type ResponsePart = { ok: true; text: string } | { ok: false; reason: string };

/**
 * The part of a JSON response at a path such as `items[0].score`: a text as it is, anything else as JSON. Refused when
 * the response is no JSON, has nothing there, or what is there nests too deeply to be written.
 */
export function readResponsePath(response: string, path: string): ResponsePart {
  let value: JsonValue;
  try {
    value = JSON.parse(response);
  } catch {
    return { ok: false, reason: 'the response is not JSON' };
  }
  const part = valueAtPath(value, path);
  if (part === undefined) return { ok: false, reason: `the response has nothing at ${path}` };
  try {
    return { ok: true, text: typeof part === 'string' ? part : JSON.stringify(part) };
  } catch {
    // Brackets so deep that no writer follows them are an answer of the agent, not a fault of ours.
    return { ok: false, reason: `what the response has at ${path} nests too deeply` };
  }
}

/** The value at the path; undefined when there is none, or when the path is none. Own keys only. */
export function valueAtPath(value: JsonValue, path: string): JsonValue | undefined {
  const steps = pathSteps(path);
  if (steps === undefined) return undefined;
  let found: JsonValue | undefined = value;
  for (const step of steps) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined;
    found = Object.getOwnPropertyDescriptor(found, step)?.value;
  }
  return found;
}
