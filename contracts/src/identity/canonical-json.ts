export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/**
 * One text per value: keys sorted by code unit, no white space, strings in NFC, absent (`undefined`) keys left out.
 * Throws on what JSON cannot hold (NaN, infinity, functions): such a value must never become part of a hash.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value.normalize('NFC'));
  if (typeof value === 'number') return canonicalNumber(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object') return canonicalObject(value);
  throw new TypeError(`A ${typeof value} has no canonical JSON`);
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`${value} has no canonical JSON`);
  return JSON.stringify(value);
}

function canonicalObject(value: object): string {
  const keys = Object.keys(value);
  // Nearly all keys are plain words, which are in NFC as they are: this function is most of the cost of planning.
  if (!keys.every((key) => plainKey.test(key))) return textOf(normalizedEntries(value).sort(byKey));
  return textOf(keys.sort().map((key) => [key, value[key as keyof typeof value]])); // own keys, in the order of code units
}

function textOf(entries: readonly (readonly [string, unknown])[]): string {
  let text = '';
  for (const [key, entry] of entries) {
    if (entry !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(entry)}`;
  }
  return `{${text}}`;
}

const plainKey = /^\w*$/;

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : a > b ? 1 : 0;

const normalizedEntries = (value: object): [string, unknown][] =>
  Object.entries(value).map(([key, entry]) => [key.normalize('NFC'), entry]);
