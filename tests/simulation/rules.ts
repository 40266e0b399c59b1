import {
  applyHandBack,
  claim,
  confirmPlaces,
  handBack,
  isClaimedBy,
  isPoison,
  isVoid,
  leaveBehind,
  MISSED_BEFORE_RELEASE,
  mayClaim,
  mayMarkPublished,
  passFence,
} from '@proofmark/domain/chunk';
import { endsSilence, hadOutage, lookForLost, stanceOf } from '@proofmark/domain/lifecycle';
import { decideEnd } from '@proofmark/domain/suite-run';

/** What the processes of a world go by. The rules are those of the product; a test takes one of them away and must be caught. */
export const productRules = {
  applyHandBack,
  claim,
  confirmPlaces,
  decideEnd,
  endsSilence,
  hadOutage,
  handBack,
  isClaimedBy,
  isPoison,
  isVoid,
  leaveBehind,
  lookForLost,
  mayClaim,
  mayMarkPublished,
  missedBeforeRelease: MISSED_BEFORE_RELEASE,
  passFence,
  stanceOf,
  /** The key of a run is unique. */
  knowsKeys: true,
  /** There is one row for each test run, and one verdict for each suite run. */
  hasUniqueRows: true,
  /** Results are committed first and acknowledged then. */
  commitsFirst: true,
  /** A coordinator takes a session only from the runner that opened it. */
  knowsOwners: true,
  /** Each chore of a coordinator is there. */
  reaps: true,
  republishes: true,
  closesOverdue: true,
  goesOnWriting: true,
};

export type Rules = typeof productRules;
