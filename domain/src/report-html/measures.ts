import { plural } from '../text/format-numbers.ts';

/** A time as a person reads it: `840 ms`, `3.5 s`, `2 m 05 s`. */
export function formatMs(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1_000);
  return `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, '0')} s`;
}

export const formatTokens = (tokens: number): string => plural(tokens, 'token');
