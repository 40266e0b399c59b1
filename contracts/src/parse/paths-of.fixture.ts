import type { Path } from './finding.ts';

/** Every path of a value, and one behind each that does not exist. */
export function* pathsOf(value: unknown, above: Path = []): Generator<Path> {
  yield above;
  yield [...above, 'absent'];
  yield [...above, 99];
  if (typeof value !== 'object' || value === null) return;
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((entry, at) => [at, entry])
    : Object.entries(value);
  for (const [key, entry] of entries) yield* pathsOf(entry, [...above, key]);
}
