const unstorable = /\0/g;

/**
 * The same value with every NUL and lone surrogate in its texts and keys replaced by U+FFFD, and whether there was one.
 * Postgres refuses both, so an answer that holds one could otherwise never be recorded. A value without any is returned as it is.
 */
export function sanitizeForStorage<T>(value: T): { value: T; replaced: boolean } {
  if (isStorable(value)) return { value, replaced: false };
  // The walk keeps the shape: only the characters inside texts and keys differ.
  return { value: replaceIn(value) as T, replaced: true };
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (Array.isArray(value)) return value.every(isStorable);
  if (typeof value !== 'object' || value === null) return true;
  return Object.keys(value).every(isStorable) && Object.values(value).every(isStorable);
}

function replaceIn(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replace(unstorable, '\uFFFD');
  if (Array.isArray(value)) return value.map(replaceIn);
  if (typeof value !== 'object' || value === null) return value;
  // fromEntries defines own keys, so `__proto__` stays an ordinary key.
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [replaceIn(key), replaceIn(entry)]));
}
