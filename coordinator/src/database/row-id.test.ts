import { expect, it } from 'vitest';
import { z } from 'zod';
import { rowId } from './row-id.ts';

it('makes ids that are all different and grow', () => {
  const ids = Array.from({ length: 1000 }, rowId);
  expect(ids.every((id) => z.uuidv7().safeParse(id).success)).toBe(true);
  expect(new Set(ids).size).toBe(1000);
  // Within a millisecond they come in any order.
  const moments = ids.map((id) => id.slice(0, 13));
  expect(moments).toEqual(moments.toSorted());
});

it('leaves every digit to chance that says neither time nor kind', () => {
  const ids = Array.from({ length: 1000 }, rowId);
  const isFixed = (at: number) => at < 15 || '00000000-0000-7000-8'.charAt(at) === '-' || at === 19 || at === 23;
  const places = Array.from({ length: 36 }, (_, at) => at).filter((at) => !isFixed(at));
  const kinds = (at: number) => new Set(ids.map((id) => id.charAt(at))).size;
  expect(places.map(kinds)).toEqual(Array.from({ length: 18 }, () => 16));
  expect(kinds(19)).toBe(4);
});
