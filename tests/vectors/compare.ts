import type { Tolerance } from './vector.ts';

/** Lists that the README compares as sets. */
const setFields: ReadonlySet<string> = new Set(['errors', 'ignored']);

type Place = { readonly path: string; readonly field: string; readonly tolerance: Tolerance };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const show = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value));

const below = (place: Place, field: string): Place => ({ ...place, path: `${place.path}.${field}`, field });

function isClose(expected: number, actual: number, { field, tolerance }: Place): boolean {
  const absolute = tolerance.byField?.[field] ?? tolerance.absolute;
  const size = Math.max(Math.abs(expected), Math.abs(actual));
  return Object.is(expected, actual) || Math.abs(expected - actual) <= Math.max(absolute, tolerance.relative * size);
}

function compareLists(expected: readonly unknown[], actual: readonly unknown[], place: Place): string[] {
  if (expected.length !== actual.length) {
    return [`${place.path}: expected ${expected.length} entries, got ${actual.length}: ${show(actual)}`];
  }
  return expected.flatMap((value, i) => compareAt(value, actual[i], { ...place, path: `${place.path}[${i}]` }));
}

function compareSets(expected: readonly unknown[], actual: readonly unknown[], place: Place): string[] {
  const has = (list: readonly unknown[], value: unknown) =>
    list.some((entry) => compareAt(value, entry, place).length === 0);
  const missing = expected.filter((value) => !has(actual, value));
  const extra = actual.filter((value) => !has(expected, value));
  return [
    ...missing.map((value) => `${place.path}: misses ${show(value)}`),
    ...extra.map((value) => `${place.path}: has ${show(value)} too much`),
  ];
}

/** The value at a dotted path such as `checks.0.type`. */
const valueAt = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, key) => {
    if (Array.isArray(inner)) return inner[Number(key)];
    return isObject(inner) ? inner[key] : undefined;
  }, value);

/** `normalized` names some fields of the answer, possibly by dotted paths; the others are free. */
function compareNormalized(expected: Record<string, unknown>, actual: unknown, place: Place): string[] {
  return Object.entries(expected).flatMap(([path, value]) => {
    const found = isObject(actual) && path in actual ? actual[path] : valueAt(actual, path);
    return compareAt(value, found, below(place, path));
  });
}

function compareObjects(expected: Record<string, unknown>, actual: Record<string, unknown>, place: Place): string[] {
  const extra = Object.keys(actual).filter(
    (key) => !(key in expected) && actual[key] !== undefined && key !== 'normalized',
  );
  return [
    ...Object.entries(expected).flatMap(([key, value]) =>
      key === 'normalized' && isObject(value)
        ? compareNormalized(value, actual[key], below(place, key))
        : compareAt(value, actual[key], below(place, key)),
    ),
    ...extra.map((key) => `${place.path}.${key}: expected nothing, got ${show(actual[key])}`),
  ];
}

function compareAt(expected: unknown, actual: unknown, place: Place): string[] {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    return setFields.has(place.field) ? compareSets(expected, actual, place) : compareLists(expected, actual, place);
  }
  if (isObject(expected) && isObject(actual)) return compareObjects(expected, actual, place);
  const isSame =
    typeof expected === 'number' && typeof actual === 'number'
      ? isClose(expected, actual, place)
      : Object.is(expected, actual);
  return isSame ? [] : [`${place.path}: expected ${show(expected)}, got ${show(actual)}`];
}

/** Every difference as a line with its path; none when the answer is right. An absent key is not null. */
export function differences(expected: unknown, actual: unknown, tolerance: Tolerance): string[] {
  return compareAt(expected, actual, { path: 'answer', field: '', tolerance });
}
