import { describe, expect, test } from 'vitest';
import { chunkSize, cutChunks, runDeadlineMs, type Turn, UNKNOWN_FLEET } from './cut-chunks.ts';

describe('the size of a chunk', () => {
  test.each([
    [20_000, { runners: 4, slots: 250 }, 50],
    [10_000, { runners: 2, slots: 100 }, 50],
    [10_000, { runners: 2, slots: 48 }, 24],
    [400, { runners: 4, slots: 10 }, 5],
    [100_000, { runners: 1, slots: 1_000 }, 50],
  ])('of %i test runs on %o is %i: a divisor of the slots', (testRuns, fleet, size) => {
    expect(chunkSize(testRuns, fleet)).toBe(size);
  });

  test('is larger where every test run has a slot at once', () => {
    expect(chunkSize(100, { runners: 2, slots: 100 })).toBe(25);
    expect(chunkSize(201, { runners: 2, slots: 100 })).toBe(10);
    expect(chunkSize(64, UNKNOWN_FLEET)).toBe(2);
  });

  test('is one where a run or a runner is small', () => {
    expect(chunkSize(15, { runners: 4, slots: 250 })).toBe(1);
    expect(chunkSize(100_000, { runners: 1, slots: 1 })).toBe(1);
  });
});

describe('cutting', () => {
  const turn = (name: string, more: Partial<Turn> = {}) => ({
    name,
    group: 'one',
    testRuns: 1,
    bytes: 10,
    shared: 0,
    ...more,
  });
  const names = (chunks: { name: string }[][]) => chunks.map((chunk) => chunk.map(({ name }) => name).join(''));

  test('keeps the order and the groups apart', () => {
    const turns = ['a', 'b', 'c', 'd', 'e'].map((name) => turn(name, { group: 'bd'.includes(name) ? 'two' : 'one' }));
    expect(names(cutChunks(turns, { size: 2, bytes: 100 }))).toEqual(['ac', 'bd', 'e']);
  });

  test('never cuts a pair in two, also when it is larger than a chunk', () => {
    const pairs = ['a', 'b', 'c'].map((name) => turn(name, { testRuns: 2 }));
    expect(names(cutChunks(pairs, { size: 5, bytes: 100 }))).toEqual(['ab', 'c']);
    expect(names(cutChunks(pairs, { size: 1, bytes: 100 }))).toEqual(['a', 'b', 'c']);
  });

  test('leaves room for what all turns share', () => {
    const turns = ['a', 'b', 'c'].map((name) => turn(name, { shared: 80 }));
    expect(names(cutChunks(turns, { size: 9, bytes: 100 }))).toEqual(['ab', 'c']);
  });

  test('begins anew when a message would become too large', () => {
    expect(names(cutChunks([turn('a'), turn('b', { bytes: 95 }), turn('c')], { size: 9, bytes: 100 }))).toEqual([
      'a',
      'b',
      'c',
    ]);
  });
});

const hourMs = 3_600_000;
const caseTimeoutMs = 120_000;
const fleets = (pool: string) => (pool === 'gpu' ? { runners: 1, slots: 2 } : { runners: 2, slots: 10 });

test('a run may take as long as its fleet needs for it, and an hour in any case', () => {
  const load = (testRuns: number) => [{ pool: 'default', testRuns, caseTimeoutMs }];
  expect(runDeadlineMs(load(100), fleets, hourMs)).toBe(hourMs);
  expect(runDeadlineMs(load(100_000), fleets, hourMs)).toBe(600_000_000);
});

test('of several pools the one that needs longest decides', () => {
  const load = [
    { pool: 'default', testRuns: 1_000, caseTimeoutMs },
    { pool: 'gpu', testRuns: 500, caseTimeoutMs },
    { pool: 'gpu', testRuns: 500, caseTimeoutMs },
  ];
  expect(runDeadlineMs(load, fleets, hourMs)).toBe(60_000_000);
});
