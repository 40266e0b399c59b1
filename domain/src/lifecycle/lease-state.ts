import { isFinalIn, nextIn, type Transitions } from './next-state.ts';

/** Who has a test run: nobody yet, a runner, nobody any more because its row is written, or nobody because it was called off. */
export type LeaseState = 'queued' | 'leased' | 'done' | 'closed';
/**
 * `lose`: its session is gone (counts as a crash). `release`: handed back in good order. `give_up`: lost too often, the row
 * says so. `close`: cancelled or past the deadline.
 */
export type LeaseEvent = 'claim' | 'record' | 'lose' | 'release' | 'give_up' | 'close';

const transitions = {
  queued: { claim: 'leased', give_up: 'done', close: 'closed' },
  leased: { record: 'done', lose: 'queued', release: 'queued', close: 'closed' },
  done: {},
  closed: {},
} as const satisfies Transitions<LeaseState, LeaseEvent>;

/** The state after `event`; undefined when it came too late, for example a result for a test run that was cancelled. */
export const nextLeaseState = (state: LeaseState, event: LeaseEvent): LeaseState | undefined =>
  nextIn<LeaseState, LeaseEvent>(transitions, state, event);

export const isFinalLease = (state: LeaseState): boolean => isFinalIn(transitions, state);

/** Crashes of runners that a test run survives before it gets its `error/lost` row. */
export const MAX_CRASHES = 3;

export type AfterCrash = 'queue' | 'queue_solo' | 'give_up';

/** What becomes of a test run whose runner was lost for the `crashCount`-th time: solo keeps innocent neighbours from giving up. */
export function afterCrash(crashCount: number): AfterCrash {
  if (crashCount >= MAX_CRASHES) return 'give_up';
  return crashCount === MAX_CRASHES - 1 ? 'queue_solo' : 'queue';
}
