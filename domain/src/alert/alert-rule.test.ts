import { describe, expect, test } from 'vitest';
import { type AlertRun, type AlertStatus, judgeAlert } from './alert-rule.ts';

const settings = { alertOnRegression: true, alertThresholdPercent: 10 };

const run = (passed: number, total: number, more: Partial<AlertRun> = {}): AlertRun => ({
  status: 'completed',
  passed,
  total,
  skipped: 0,
  ...more,
});
const results = (statuses: Record<string, AlertStatus>) => ({ results: new Map(Object.entries(statuses)) });

describe('alert rule', () => {
  test('S2-12 C18 a fall of exactly the threshold alerts, one point less does not', () => {
    expect(judgeAlert({ settings, current: run(80, 100), previous: run(90, 100) })).toEqual({
      regression: true,
      drop: 10,
      newlyFailing: [],
    });
    expect(judgeAlert({ settings, current: run(81, 100), previous: run(90, 100) }).regression).toBe(false);
  });

  test('S2-12 rounding does not hide a fall of exactly the threshold', () => {
    const alert = judgeAlert({ settings, current: run(17, 30), previous: run(20, 30) });
    expect(alert.regression).toBe(true);
  });

  test('S2-12 C08 newly failing and newly erroring cases alert, and only those', () => {
    const previous = run(4, 6, results({ a: 'passed', b: 'passed', c: 'failed', d: 'passed', e: 'skipped' }));
    const current = run(2, 6, {
      ...results({ b: 'error', a: 'failed', c: 'failed', d: 'skipped', e: 'failed', fresh: 'failed' }),
      total: 50,
      passed: 33,
    });
    const mild = { ...settings, alertThresholdPercent: 90 };
    expect(judgeAlert({ settings: mild, current, previous })).toMatchObject({
      regression: true,
      newlyFailing: ['b', 'a'],
    });
    const onlyDrops = { ...mild, alertOnNewlyFailing: false };
    expect(judgeAlert({ settings: onlyDrops, current, previous })).toMatchObject({
      regression: false,
      newlyFailing: ['b', 'a'],
    });
  });

  test('S2-10 switched off, it still tells the numbers', () => {
    const off = { ...settings, alertOnRegression: false };
    expect(judgeAlert({ settings: off, current: run(5, 10), previous: run(10, 10) })).toEqual({
      regression: false,
      drop: 50,
      newlyFailing: [],
    });
  });

  test.for([
    ['there is no previous run', run(0, 10), null],
    ['the current run was cancelled', run(0, 10, { status: 'cancelled' }), run(10, 10)],
    ['the previous run was aborted', run(0, 10), run(10, 10, { status: 'failed' })],
    ['everything was skipped', run(0, 10, { skipped: 10 }), run(10, 10)],
    ['the previous run executed nothing', run(0, 10), run(0, 0)],
  ] as const)('S2-110 nothing is judged when %s', ([, current, previous]) => {
    expect(judgeAlert({ settings, current, previous })).toEqual({ regression: false, drop: null, newlyFailing: [] });
  });

  test('a case name is only a name', () => {
    const alert = judgeAlert({
      settings,
      current: run(9, 10, { results: new Map([['__proto__', 'failed']]) }),
      previous: run(9, 10, { results: new Map([['__proto__', 'passed']]) }),
    });
    expect(alert.newlyFailing).toEqual(['__proto__']);
  });
});
