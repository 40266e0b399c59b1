import type { BaselineChoice } from '@proofmark/contracts/verdict';
import { type BaselineQuestion, placeBaseline } from './choose-baseline.ts';

/** The version of an agent that a suite tests in one cell. */
export interface TestedAgent {
  suiteName: string;
  cellKey: string;
  agentHash: string;
}

/** A run of the base branch with the agents that it tested. */
export interface BaseRun {
  runId: string;
  commit: string;
  ageDays: number;
  agents: readonly TestedAgent[];
}

interface RunQuestion extends Omit<BaselineQuestion, 'agentAtMergeBase'> {
  /** The agents as the merge base defines them; empty when nobody has looked. */
  agentsAtMergeBase: readonly TestedAgent[];
}

export interface RankedBaseRun {
  run: BaseRun;
  /** Of the suite that is placed worst. */
  rung: BaselineChoice['rung'];
}

/**
 * Base runs from the best down the ladder (docs/baselines.md#which-one-is-taken): a run stands where its worst suite stands, of equally
 * good ones the one with more of the suites comes first, then the nearer one, then the newer one. They come newest first.
 */
export function rankBaseRuns(
  runs: readonly BaseRun[],
  { agentsAtMergeBase, ...question }: RunQuestion,
): RankedBaseRun[] {
  const placed = runs.map((run) => {
    const places = run.agents.map(({ suiteName, cellKey, agentHash }) => {
      const same = agentsAtMergeBase.find((one) => one.suiteName === suiteName && one.cellKey === cellKey);
      return placeBaseline({ ...run, agentHash }, { ...question, agentAtMergeBase: same?.agentHash ?? null });
    });
    const [worst] = places.toSorted((a, b) => b.choice.rung - a.choice.rung || b.distance - a.distance);
    return { run, rung: worst?.choice.rung ?? 4, distance: worst?.distance ?? 0 };
  });
  return placed
    .toSorted((a, b) => a.rung - b.rung || b.run.agents.length - a.run.agents.length || a.distance - b.distance)
    .map(({ run, rung }) => ({ run, rung }));
}
