import { expect, test } from 'vitest';
import { type BaseRun, rankBaseRuns } from './choose-baseline.ts';

const question = { mergeBase: 'm', ancestors: ['m', 'a1', 'a2', 'a3'], branch: 'main', agentsAtMergeBase: [] };
const agent = (suiteName: string, agentHash = 'old') => ({ suiteName, cellKey: '', agentHash });
const run = (commit: string, given: Partial<BaseRun> = {}): BaseRun => ({
  runId: commit,
  commit,
  ageDays: 1,
  agents: [agent('A')],
  ...given,
});
const ranked = (runs: BaseRun[], asked: Partial<Parameters<typeof rankBaseRuns>[1]> = {}) =>
  rankBaseRuns(runs, { ...question, ...asked }).map(({ run: { runId }, rung }) => `${rung} ${runId}`);

test('the merge base comes before an equal agent, that before the nearest ancestor, and all before the rest', () => {
  const equal = run('x', { agents: [agent('A', 'now')] });
  const all = [run('off'), run('a3'), run('a1'), equal, run('m')];
  expect(ranked(all, { agentsAtMergeBase: [agent('A', 'now')] })).toEqual(['1 m', '2 x', '3 a1', '3 a3', '4 off']);
});

test('the newest run is not taken when an ancestor is nearer to the merge base', () => {
  expect(ranked([run('later on main'), run('a2')])).toEqual(['3 a2', '4 later on main']);
});

test('a run is worth what its worst suite is worth', () => {
  const half = run('x', { agents: [agent('A', 'now'), agent('B', 'another')] });
  const whole = run('y', { agents: [agent('A', 'now'), agent('B', 'now')] });
  const agentsAtMergeBase = [agent('A', 'now'), agent('B', 'now')];
  expect(ranked([half, whole], { agentsAtMergeBase })).toEqual(['2 y', '4 x']);
});

test('of two runs on one rung the one with more of the suites is better, then the newer one', () => {
  const both = run('m', { runId: 'both', agents: [agent('A'), agent('B')] });
  expect(ranked([run('m', { runId: 'one' }), both])).toEqual(['1 both', '1 one']);
  expect(ranked([run('m', { runId: 'newer' }), run('m', { runId: 'older' })])).toEqual(['1 newer', '1 older']);
});

test('what is older than two weeks is off the ladder, the merge base excepted', () => {
  expect(ranked([run('a1', { ageDays: 15 }), run('m', { ageDays: 90 })])).toEqual(['1 m', '4 a1']);
});
