import { expect, test } from 'vitest';
import { isoTime } from './scalars.ts';

test.each([
  ['2026-01-31 12:00:00+00', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31 12:00:00.5+00', '2026-01-31T12:00:00.500Z'],
  ['2026-01-31 23:59:59.999999+00', '2026-01-31T23:59:59.999Z'],
  ['2026-01-31 12:00:00+02', '2026-01-31T10:00:00.000Z'],
  ['2026-01-31T12:00:00.123Z', '2026-01-31T12:00:00.123Z'],
  [new Date(0), '1970-01-01T00:00:00.000Z'],
])('the moment %s is told as %s', (stored, told) => {
  expect(isoTime(stored)).toBe(told);
  expect(isoTime(stored)).toBe(new Date(stored).toISOString());
});
