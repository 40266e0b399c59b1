import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type WokenLoop, wakesOfNewRuns } from './wake-soon.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the beginning of a run leaves at once, and what else the run wants follows for all that came meanwhile', () => {
  const woken: WokenLoop[] = [];
  const wakeForNew = wakesOfNewRuns((...loops) => woken.push(...loops));

  wakeForNew();
  wakeForNew();
  expect(woken).toEqual(['publisher', 'publisher']);

  vi.runAllTimers();
  expect(woken.slice(2)).toEqual(['deliveries', 'planner', 'verdicts']);

  wakeForNew();
  vi.runAllTimers();
  expect(woken.slice(5)).toEqual(['publisher', 'deliveries', 'planner', 'verdicts']);
});
