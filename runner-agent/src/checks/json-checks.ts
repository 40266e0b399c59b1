import type { JsonValue } from '@proofmark/contracts/canonical-json';
import type { Check } from '@proofmark/contracts/checks';
import { compileJsonSchema } from '@proofmark/contracts/json-schema';
import { valueAtPath } from '@proofmark/domain/lexical/response-path';
import { isTooDeep } from '../models/json-depth.ts';
import type { CheckVerdict } from './check-verdict.ts';
import { checkError, quoted, verdict } from './check-verdict.ts';
import { matchValue } from './match-value.ts';

type CheckOf<Type extends Check['type']> = Extract<Check, { type: Type }>;
const notJson = 'The response is not JSON';

export function checkJson(response: string): CheckVerdict {
  return verdict(readJson(response) !== undefined, notJson);
}

export function checkJsonSchema({ schema }: CheckOf<'json_schema'>, response: string): CheckVerdict {
  const compiled = compileJsonSchema(schema);
  if (!compiled.ok) return checkError(compiled.message);
  const json = readJson(response);
  if (!json) return verdict(false, notJson);
  return verdict(compiled.accepts(json.value), 'The response does not fit the schema');
}

export function checkJsonPath({ path, expected }: CheckOf<'json_path'>, response: string): CheckVerdict {
  const json = readJson(response);
  if (!json) return verdict(false, notJson);
  const found = valueAtPath(json.value, path);
  if (found === undefined) return verdict(false, `The response has nothing at ${path}`);
  if (expected === undefined) return verdict(true, '');
  return verdict(matchValue(expected, found), `At ${path} the response has ${quoted(JSON.stringify(found))}`);
}

/** The whole response as JSON; a single fenced block around it is taken off. */
function readJson(response: string): { value: JsonValue } | undefined {
  const text = withoutFence(response.trim());
  if (isTooDeep(text)) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    // A response that is not JSON is an answer to the check, not a fault.
    return undefined;
  }
}

const fence = '```';

/** By position and not by a pattern: an agent may answer with a million spaces before the end. */
function withoutFence(text: string): string {
  const start = text.indexOf('\n') + 1;
  const end = text.length - fence.length;
  if (!text.startsWith(fence) || !text.endsWith(fence) || start === 0 || start > end) return text;
  const language = text.slice(fence.length, start).trim();
  return language === '' || language === 'json' ? text.slice(start, end) : text;
}
