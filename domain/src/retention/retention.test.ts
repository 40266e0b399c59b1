import { describe, expect, test } from 'vitest';
import { type RetainedRun, runsToDelete } from './retention.ts';

const dayMs = 24 * 3_600_000;
const nowMs = Date.parse('2026-02-01T00:00:00Z');

const run = (id: string, ageDays: number, more: Partial<RetainedRun> = {}): RetainedRun => ({
  id,
  suiteId: 'suite',
  createdAtMs: nowMs - ageDays * dayMs,
  completedAtMs: null,
  status: 'completed',
  ...more,
});

describe('retention', () => {
  test('S2-91 runs of the last 30 days stay, the limit included', () => {
    const runs = [run('old', 30.001), run('limit', 30), run('new', 1)];
    expect(runsToDelete(runs, { nowMs, keepRuns: 0 })).toEqual(['old']);
  });

  test('S2-92 the newest 30 runs of every suite stay, however old', () => {
    const runs = Array.from({ length: 32 }, (_, i) => run(`a${i}`, 100 + i));
    const other = [run('b', 900, { suiteId: 'other' })];
    expect(runsToDelete([...other, ...runs], { nowMs })).toEqual(['a30', 'a31']);
  });

  test('S2-91 age counts from completion when it is known', () => {
    const slow = run('slow', 32, { completedAtMs: nowMs - 29 * dayMs });
    expect(runsToDelete([slow], { nowMs, keepRuns: 0 })).toEqual([]);
  });

  test('an active run is never deleted', () => {
    const runs = [run('waiting', 99, { status: 'pending' }), run('stuck', 99, { status: 'running' })];
    expect(runsToDelete(runs, { nowMs, keepRuns: 0 })).toEqual([]);
  });

  test.for([{ keepDays: -1 }, { keepDays: Number.NaN }, { keepRuns: -1 }, { keepRuns: Number.NaN }])(
    'S2-104 a rule that is no count deletes nothing: %j',
    (rule) => {
      expect(() => runsToDelete([run('old', 99)], { nowMs, ...rule })).toThrow(RangeError);
    },
  );
});
