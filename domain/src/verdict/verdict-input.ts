import type { MeasuredJudge } from '@proofmark/contracts/judge-measurement';
import type { BaselineChoice, EarlyStop, JudgedAgain, PassCount, VerdictSettings } from '@proofmark/contracts/verdict';
import type { Trial } from './count-trials.ts';

/** One suite run and everything that it is compared with. */
export interface VerdictInput {
  /** Every test run of the suite run, in suite order, skipped ones included. */
  head: readonly Trial[];
  /** Every test run of the suite run that is the baseline; null when there is none. */
  base: readonly Trial[] | null;
  /**
   * Cases that the definitions of the base have and those of the head have no longer, each with its last trials on the
   * base: none where nobody knows any.
   */
  removed?: ReadonlyMap<string, readonly Trial[]>;
  /** The baseline was executed beside the head; otherwise it is an earlier run and part of the history. */
  isConcurrent?: boolean;
  /** The earlier run that the alert rule compares with; absent: `base`. */
  previous?: readonly Trial[] | null;
  /** Further base-branch trials of the same agent, newest first; they add evidence but no cases. */
  history?: readonly Trial[];
  /** More trials of the base beside the head, executed because its history was found to be out of date. */
  afterDrift?: readonly Trial[];
  /** Trials of earlier runs of the same pull request with the same agent. Running again adds evidence. */
  pooled?: readonly Trial[];
  /** How many runs these are, this one included. */
  pooledRuns?: number;
  /** Newest base-branch trials of each case, whatever the agent: how flaky it is. */
  windows?: ReadonlyMap<string, PassCount>;
  settings: VerdictSettings;
  /** What of `base` was judged again under the head's instrument; null when nothing had to be. */
  judgedAgain?: JudgedAgain | null;
  /** How the base was chosen; null when nobody chose. */
  baseline?: BaselineChoice | null;
  /** The branch as people know it; absent: "the base". */
  baseName?: string;
  /** All cases can be run again on both sides. */
  canConfirm?: boolean;
  /** They were run again: the trials of that rerun alone. */
  fresh?: { head: readonly Trial[]; base: readonly Trial[] } | null;
  /** The run was ended before all rounds were done. */
  early?: EarlyStop | null;
  /** What labelled answers say about the judge of the suite; absent: it names none. */
  judge?: MeasuredJudge | null;
}
