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
