import { parseJson } from '@proofmark/contracts/parse-json';
import { z } from 'zod';
import { isTooDeep } from '../models/json-depth.ts';
import type { ToolRequest } from './agent-driver.ts';

const largestArguments = 64 * 1024;
const tooLong = 'The arguments are longer than 64 KB';
const ArgumentObject = z.record(z.string(), z.json());

/** The arguments of a tool call as an object, or why they are none; `__proto__` stays an ordinary key. */
export function parseArguments(text: string): Pick<ToolRequest, 'args' | 'argsError'> {
  if (text.trim() === '') return { args: {}, argsError: null };
  if (text.length > largestArguments) return unusable(tooLong);
  if (isTooDeep(text)) return unusable('The arguments are nested too deeply');
  const value = parseJson(text);
  if (value === undefined) return { args: text, argsError: 'The arguments are not JSON' };
  // zod drops a key named `__proto__`, so the shape is checked and the parsed value itself is kept.
  if (!ArgumentObject.safeParse(value).success) return { args: text, argsError: 'The arguments are not a JSON object' };
  return { args: value as Record<string, z.core.util.JSONType>, argsError: null };
}

/** Arguments that came as data, held to the same length. */
export function boundArguments(args: ToolRequest['args']): Pick<ToolRequest, 'args' | 'argsError'> {
  return JSON.stringify(args).length > largestArguments ? unusable(tooLong) : { args, argsError: null };
}

function unusable(argsError: string): Pick<ToolRequest, 'args' | 'argsError'> {
  return { args: null, argsError };
}
