import { parseJson } from '../identity/parse-json.ts';
import type { Path, PathSegment } from './finding.ts';
import { snakeCase } from './schema-plan.ts';

/** A text as plain data, with a way from a path back to its place in the text. */
export interface UsualText {
  value: Record<string, unknown>;
  placeOfPath: (path: Path, at: 'key' | 'value') => number;
}

/** Where a value begins: the offset alone of what holds nothing, as most do, and with where those in it begin of what does. */
export type PlaceInText = number | PlaceOfMany;

interface PlaceOfMany {
  at: number;
  entries?: PlacesOfEntries;
  items?: PlaceInText[];
}

interface PlaceOfEntry {
  /** Undefined: it is an item of a list. */
  keyAt: number | undefined;
  value: PlaceInText;
}

export type PlacesOfEntries = Map<string, PlaceOfEntry>;

/** Deeper than what anybody writes, and less than what is allowed: the careful reader decides about what is between. */
export const usualDepth = 32;

/**
 * Reads a JSON text many times faster than the reader of YAML does. Undefined where anything about it is unusual, such as an
 * error, a key that stands there twice or a number that no double holds: then the careful reader says what is wrong, or that nothing is.
 */
export function readJson(text: string): UsualText | undefined {
  // A decoded text may hold what the file itself may not: NUL, half a surrogate pair.
  if (/\\[ubf]/.test(text)) return undefined;
  // What is wrong with it says the careful reader.
  const value = parseJson(text);
  if (!isObject(value) || !holdsOnlyUsual(value)) return undefined;
  const root = new PlaceReader(text).read();
  return root === undefined ? undefined : { value, placeOfPath: (path, at) => offsetOfPath(root, path, at) };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function holdsOnlyUsual(value: unknown, depth = 1): boolean {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return true;
  if (depth > usualDepth) return false;
  for (const entry of Object.values(value)) if (!holdsOnlyUsual(entry, depth + 1)) return false;
  return true;
}

/** Finds where the values of a valid JSON text begin, without reading them. */
class PlaceReader {
  readonly #text: string;
  #at = 0;
  #hasTwins = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Undefined where a key stands twice in one object. */
  read(): PlaceInText | undefined {
    this.#skip(isBetween);
    const place = this.#value();
    return this.#hasTwins ? undefined : place;
  }

  #value(): PlaceInText {
    const at = this.#at;
    const first = this.#text[at];
    if (first === '{') return { at, entries: this.#entries() };
    if (first === '[') return { at, items: this.#items() };
    if (first === '"') this.#string();
    else this.#skip(isOfWord);
    return at;
  }

  #entries(): PlacesOfEntries {
    const entries: PlacesOfEntries = new Map();
    this.#at += 1;
    while (this.#hasNext('}')) {
      const keyAt = this.#at;
      const key = this.#string();
      this.#skip(isBetween);
      if (entries.has(key)) this.#hasTwins = true;
      entries.set(key, { keyAt, value: this.#value() });
    }
    return entries;
  }

  #items(): PlaceInText[] {
    const items: PlaceInText[] = [];
    this.#at += 1;
    while (this.#hasNext(']')) items.push(this.#value());
    return items;
  }

  /** Goes on to the next entry of an object or list, or behind its end. */
  #hasNext(end: string): boolean {
    this.#skip(isBetween);
    if (this.#text[this.#at] !== end) return true;
    this.#at += 1;
    return false;
  }

  /** The text that begins here, and goes on behind it. */
  #string(): string {
    const start = this.#at;
    do this.#at = this.#text.indexOf('"', this.#at + 1);
    while (this.#isEscaped());
    this.#at += 1;
    const raw = this.#text.slice(start, this.#at);
    return raw.includes('\\') ? String(JSON.parse(raw)) : raw.slice(1, -1);
  }

  /** An even number of backslashes before a quotation mark are characters of their own. */
  #isEscaped(): boolean {
    let before = this.#at - 1;
    while (this.#text[before] === '\\') before -= 1;
    return (this.#at - before) % 2 === 0;
  }

  #skip(isPassed: (code: number) => boolean): void {
    while (this.#at < this.#text.length && isPassed(this.#text.charCodeAt(this.#at))) this.#at += 1;
  }
}

const [comma, colon, endOfList, endOfObject, space] = [0x2c, 0x3a, 0x5d, 0x7d, 0x20];

const isBetween = (code: number): boolean => code <= space || code === comma || code === colon;
const isOfWord = (code: number): boolean => !isBetween(code) && code !== endOfList && code !== endOfObject;

/** Offset of the key or value with this path, or of the nearest key above when it is absent. */
export function offsetOfPath(root: PlaceInText, path: Path, at: 'key' | 'value'): number {
  let here: PlaceOfEntry = { keyAt: undefined, value: root };
  for (const segment of path) {
    const next = stepInto(here.value, segment);
    if (next === undefined) return here.keyAt ?? beginOf(here.value);
    here = next;
  }
  return at === 'key' ? (here.keyAt ?? beginOf(here.value)) : beginOf(here.value);
}

const beginOf = (place: PlaceInText): number => (typeof place === 'number' ? place : place.at);

function stepInto(place: PlaceInText, segment: PathSegment): PlaceOfEntry | undefined {
  if (typeof place === 'number') return undefined;
  const { entries, items } = place;
  if (typeof segment === 'string') return entries && entryOf(entries, segment);
  const value = items?.[segment];
  return value === undefined ? undefined : { keyAt: undefined, value };
}

function entryOf(entries: PlacesOfEntries, wanted: string): PlaceOfEntry | undefined {
  const exact = entries.get(wanted);
  if (exact !== undefined) return exact;
  for (const [key, entry] of entries) if (snakeCase(key) === snakeCase(wanted)) return entry;
  return undefined;
}
