const nameCharacters = 256;
const errorCharacters = 4 * 1024;

/** What is kept of a name or an id that a model or an agent made up: more than any definition may have, for it may be as long as an answer. */
export function cutName(name: string): string {
  if (name.length <= nameCharacters) return name;
  // Counted as definitions count: a character that JavaScript writes as two is one.
  return Array.from(name.slice(0, 2 * nameCharacters))
    .slice(0, nameCharacters)
    .join('');
}

/** What is kept of an error in the words of an agent. */
export const cutError = (message: string): string => truncateResponse(message, errorCharacters).text;

/** The model that an answer says it comes from, and the flag that its name was cut. */
export function cutModel(model: string | null | undefined): { model: string | null; flags: 'evidence_cut'[] } {
  if (model === null || model === undefined) return { model: null, flags: [] };
  const kept = cutName(model);
  return { model: kept, flags: kept === model ? [] : ['evidence_cut'] };
}

/** Seed limit for a stored answer. */
export const maxResponseCharacters = 20_000;

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;

/** The answer as it is stored; one character less when the limit would cut a character in half. */
export function truncateResponse(
  response: string,
  maxCharacters = maxResponseCharacters,
): { readonly text: string; readonly isTruncated: boolean } {
  if (response.length <= maxCharacters) return { text: response, isTruncated: false };
  const isSplit = isHighSurrogate(response.charCodeAt(maxCharacters - 1));
  return { text: response.slice(0, maxCharacters - (isSplit ? 1 : 0)), isTruncated: true };
}

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
  // Every result passes here: lists of its keys and values would be the dearest part of it.
  for (const key in value) if (!isStorable(key) || !isStorable(value[key as keyof typeof value])) return false;
  return true;
}

function replaceIn(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replace(unstorable, '\uFFFD');
  if (Array.isArray(value)) return value.map(replaceIn);
  if (typeof value !== 'object' || value === null) return value;
  // fromEntries defines own keys, so `__proto__` stays an ordinary key.
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [replaceIn(key), replaceIn(entry)]));
}
