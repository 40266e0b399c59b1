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
