import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type WokenLoop, wakesOfNewRuns } from './wake-soon.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the beginning of a run leaves at once with its checks, and what else the run wants follows for all that came meanwhile', () => {
  const woken: WokenLoop[] = [];
  const wakeForNew = wakesOfNewRuns((...loops) => woken.push(...loops));

  wakeForNew();
  wakeForNew();
  expect(woken).toEqual(['publisher', 'deliveries', 'publisher', 'deliveries']);

  vi.runAllTimers();
  expect(woken.slice(4)).toEqual(['planner', 'verdicts']);

  wakeForNew();
  vi.runAllTimers();
  expect(woken.slice(6)).toEqual(['publisher', 'deliveries', 'planner', 'verdicts']);
});
