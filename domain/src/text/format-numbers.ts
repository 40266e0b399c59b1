/** `66.7%`, `82%`, `n/a`: one decimal, none when the rate is whole to that precision. */
export function formatRate(rate: number | null): string {
  return rate === null ? 'n/a' : `${oneDecimalAtMost(rate)}%`;
}

/** `−8.0 points`, `+14.0 points`, `0.0 points`; the sign is a true minus. */
export function formatPoints(points: number): string {
  return `${formatSigned(points)} points`;
}

/** A signed number with one decimal: `−8.0`, `+14.0`, `0.0`. */
export function formatSigned(value: number): string {
  const text = Math.abs(value).toFixed(1);
  if (text === '0.0') return text;
  return `${value < 0 ? '−' : '+'}${text}`;
}

/** A limit of an interval: as `formatSigned`, without the plus. */
export function formatLimit(value: number): string {
  const text = Math.abs(value).toFixed(1);
  return value < 0 && text !== '0.0' ? `−${text}` : text;
}

/** Three decimals, `<0.001` below that; never 0. */
export function formatProbability(p: number): string {
  return p < 0.001 ? '<0.001' : p.toFixed(3);
}

/** A probability as a share of comparisons: `16.2%`, `<0.1%`. */
export function formatShare(p: number): string {
  return p < 0.001 ? '<0.1%' : `${oneDecimalAtMost(p * 100)}%`;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A sum of money: `$1.25`, `$0.05`, `$0.0021`, `less than $0.0001`; `$0.00` is nothing at all. */
export function formatUsd(usd: number): string {
  if (usd === 0 || usd >= 0.01) return `$${usd.toFixed(2)}`;
  return usd < 0.0001 ? 'less than $0.0001' : `$${usd.toFixed(4)}`;
}

/** The price of a single thing, with as many decimals as tell something: `$1.25`, `$0.021`, `$0.000043`. */
export function formatPrice(usd: number): string {
  if (usd >= 1 || usd < 5e-9) return `$${usd.toFixed(2)}`;
  const decimals = Math.min(8, Math.max(2, 1 - Math.floor(Math.log10(usd))));
  return `$${usd.toFixed(decimals)}`;
}

function oneDecimalAtMost(value: number): string {
  const text = value.toFixed(1);
  return text.endsWith('.0') ? text.slice(0, -2) : text;
}

/** Milliseconds as seconds with one decimal: `45.0s`. */
export const formatDuration = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)}s`;

/** Two decimals, without a minus before zero: `0.95`. */
export function twoDecimals(value: number): string {
  const text = value.toFixed(2);
  return text === '-0.00' ? '0.00' : text;
}

/** An ISO time as a person reads it: `2025-11-01 14:30:00 UTC`. */
export const formatUtc = (timestamp: string): string =>
  `${new Date(timestamp).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** A time as a person reads it: `840 ms`, `3.5 s`, `2 m 05 s`. */
export function formatMs(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1_000);
  return `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, '0')} s`;
}

export const formatTokens = (tokens: number): string => plural(tokens, 'token');
