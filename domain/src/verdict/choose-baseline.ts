import type { BaselineChoice } from '@proofmark/contracts/verdict';

/** An eligible run of the base branch. */
export interface BaselineCandidate {
  suiteRunId: string;
  commit: string;
  agentHash: string;
  ageDays: number;
}

export interface BaselineQuestion {
  /** Null: the run is no proposal, there is no commit that it should be compared with. */
  mergeBase: string | null;
  /** The agent as the merge base defines it; null when nobody has looked. */
  agentAtMergeBase: string | null;
  /** The merge base and its first-parent ancestors, newest first; null when nobody has asked the forge. */
  ancestors: readonly string[] | null;
  /** The branch, for labels. */
  branch: string;
}

export interface ChosenBaseline {
  candidate: BaselineCandidate;
  choice: BaselineChoice;
}

const mostCommits = 20;
const mostDays = 14;

/** The run to compare with, from the best down the ladder (docs/baselines.md#which-one-is-taken); null when there is none. Candidates come newest first. */
export function chooseBaseline(
  candidates: readonly BaselineCandidate[],
  question: BaselineQuestion,
): ChosenBaseline | null {
  const placed = candidates.map((candidate) => ({ candidate, ...placeBaseline(candidate, question) }));
  // Sorting is stable: of equally good ones the newest stays first.
  const [best] = placed.toSorted((a, b) => a.choice.rung - b.choice.rung || a.distance - b.distance);
  return best === undefined ? null : { candidate: best.candidate, choice: best.choice };
}

/** Where a run of the base branch stands on the ladder; `distance` orders those on one rung. */
export function placeBaseline(
  { commit, agentHash, ageDays }: Omit<BaselineCandidate, 'suiteRunId'>,
  { mergeBase, agentAtMergeBase, ancestors, branch }: BaselineQuestion,
): { choice: BaselineChoice; distance: number } {
  if (commit === mergeBase) return { choice: { rung: 1, label: 'merge base' }, distance: 0 };
  const isRecent = ageDays <= mostDays;
  if (isRecent && mergeBase !== null && agentHash === agentAtMergeBase) {
    return { choice: { rung: 2, label: 'equal agent' }, distance: 0 };
  }
  const known = ancestors !== null && mergeBase !== null;
  const commits = known ? ancestors.indexOf(commit) : -1;
  if (isRecent && commits > 0 && commits <= mostCommits) {
    return {
      choice: { rung: 3, label: `${commits} ${commits === 1 ? 'commit' : 'commits'} older` },
      distance: commits,
    };
  }
  // What ran on the base branch before is an ancestor of its tip, if only nobody counts how far.
  if (isRecent && !known) return { choice: { rung: 3, label: `earlier run on ${branch}` }, distance: 0 };
  const label = isRecent ? `not among the last ${mostCommits} commits` : `${Math.floor(ageDays)} days old`;
  return { choice: { rung: 4, label }, distance: 0 };
}

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
