import { describe, expect, test } from 'vitest';
import { type BaselineCandidate, type BaselineQuestion, chooseBaseline } from './choose-baseline.ts';

const run = (commit: string, given: Partial<BaselineCandidate> = {}): BaselineCandidate => ({
  suiteRunId: `run of ${commit}`,
  commit,
  agentHash: `agent of ${commit}`,
  ageDays: 1,
  ...given,
});
const chain = Array.from({ length: 25 }, (_, index) => `c${index}`);
const ask = (candidates: BaselineCandidate[], given: Partial<BaselineQuestion> = {}) => {
  const question = { mergeBase: 'c0', agentAtMergeBase: 'agent of c0', ancestors: chain, branch: 'main', ...given };
  const chosen = chooseBaseline(candidates, question);
  return chosen === null ? null : [chosen.candidate.commit, chosen.choice.rung, chosen.choice.label];
};

describe('the ladder of baselines', () => {
  test('the merge base itself is exact, however old', () => {
    expect(ask([run('c1'), run('c0', { ageDays: 400 })])).toEqual(['c0', 1, 'merge base']);
  });

  test('a run with the agent of the merge base is as good, while it is recent', () => {
    expect(ask([run('c1'), run('x', { agentHash: 'agent of c0' })])).toEqual(['x', 2, 'equal agent']);
    expect(ask([run('c1'), run('x', { agentHash: 'agent of c0', ageDays: 15 })])).toEqual(['c1', 3, '1 commit older']);
  });

  test('else the nearest ancestor, within 20 commits and 14 days', () => {
    expect(ask([run('c7'), run('c3'), run('newer than the merge base')])).toEqual(['c3', 3, '3 commits older']);
    expect(ask([run('c20')])).toEqual(['c20', 3, '20 commits older']);
  });

  test('what is older or off the branch is shown and proves nothing', () => {
    expect(ask([run('c21')])).toEqual(['c21', 4, 'not among the last 20 commits']);
    expect(ask([run('elsewhere')])).toEqual(['elsewhere', 4, 'not among the last 20 commits']);
    expect(ask([run('c2', { ageDays: 20.5 })])).toEqual(['c2', 4, '20 days old']);
  });

  test('without a forge to ask, the newest recent run of the branch counts', () => {
    expect(ask([run('b'), run('a')], { ancestors: null })).toEqual(['b', 3, 'earlier run on main']);
    expect(ask([run('b', { ageDays: 30 })], { ancestors: null })).toEqual(['b', 4, '30 days old']);
  });

  test('a run of the base branch is held against the one before', () => {
    expect(ask([run('b'), run('a')], { mergeBase: null, ancestors: null })).toEqual(['b', 3, 'earlier run on main']);
  });

  test('no run, no baseline', () => {
    expect(ask([])).toBeNull();
  });
});
