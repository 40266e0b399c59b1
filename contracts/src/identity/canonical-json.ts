export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/**
 * One text per value: keys sorted by code unit, no white space, strings in NFC, absent (`undefined`) keys left out.
 * Throws on what JSON cannot hold (NaN, infinity, functions): such a value must never become part of a hash.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return canonicalText(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return canonicalNumber(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object') return canonicalObject(value);
  throw new TypeError(`A ${typeof value} has no canonical JSON`);
}

/** Needs no escape and is in NFC as it is. */
const simpleText = /^[ !#-[\]-~]*$/;
/** In a longer one the engine looks faster than an expression does. */
const shortText = 80;

/** This function and the next are most of the cost of planning. */
function canonicalText(text: string): string {
  if (text.length <= shortText && simpleText.test(text)) return `"${text}"`;
  return JSON.stringify(text.normalize('NFC'));
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`${value} has no canonical JSON`);
  return JSON.stringify(value);
}

function canonicalObject(value: object): string {
  const keys = inOrder(Object.keys(value));
  // A key that NFC may change may belong in another place, too. All are looked at before any value: each is made once.
  for (const key of keys) if (keyText(key) === undefined) return normalizedObject(value);
  let text = '';
  for (const key of keys) {
    const entry: unknown = value[key as keyof typeof value]; // an own key
    if (entry !== undefined) text += `${text === '' ? '' : ','}${keyText(key)}${canonicalJson(entry)}`;
  }
  return `{${text}}`;
}

const fewKeys = 20;

/** The engine's sort copies keys, which was a third of all that the hash of a case left behind. Few, as nearly all are, each go to their place. */
function inOrder(keys: string[]): string[] {
  if (keys.length > fewKeys) return keys.sort();
  for (let index = 1; index < keys.length; index += 1) {
    const key = keys[index] ?? '';
    let at = index;
    while (at > 0 && key < (keys[at - 1] ?? '')) {
      keys[at] = keys[at - 1] ?? '';
      at -= 1;
    }
    keys[at] = key;
  }
  return keys;
}

function normalizedObject(value: object): string {
  const entries = Object.entries(value).flatMap(([key, entry]): [string, unknown][] =>
    entry === undefined ? [] : [[key.normalize('NFC'), entry]],
  );
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${canonicalJson(entry)}`).join(',')}}`;
}

const plainKey = /^\w*$/;
/** Nearly all keys are the words of our formats, the same ones for each value. */
const keyTexts = new Map<string, string>();
const mostKeyTexts = 2_000;
/** Our words are shorter: what somebody else sends must not fill the memory. */
const longestKeptKey = 40;

/** How a plain key begins its entry; undefined for any other. */
function keyText(key: string): string | undefined {
  const known = keyTexts.get(key);
  if (known !== undefined || !plainKey.test(key)) return known;
  const text = `"${key}":`;
  if (key.length <= longestKeptKey && keyTexts.size < mostKeyTexts) keyTexts.set(key, text);
  return text;
}
