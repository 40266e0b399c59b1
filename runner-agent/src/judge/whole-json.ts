import { isTooDeep } from '../models/json-depth.ts';

/**
 * The JSON value that the whole text is, or undefined. With `allowsFence` also one fenced block at its end with no brace
 * and no other fence outside of it, so that an echoed forgery is never taken for the answer.
 */
export function parseWholeJson(text: string, { allowsFence = false } = {}): unknown {
  const json = (allowsFence ? fencedBlock(text) : undefined) ?? text;
  if (isTooDeep(json)) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const fence = '```';

function fencedBlock(text: string): string | undefined {
  const whole = text.trimEnd();
  const start = whole.indexOf(fence);
  const end = whole.lastIndexOf(fence);
  const isAtEnd = end > start && end + fence.length === whole.length;
  if (!isAtEnd || whole.indexOf(fence, start + fence.length) !== end) return undefined;
  if (/[{}]/.test(whole.slice(0, start))) return undefined;
  const [, block] = /^(?:json)?[ \t]*\r?\n([\s\S]*)$/.exec(whole.slice(start + fence.length, end)) ?? [];
  return block;
}
