/** How far a runner that hears nothing may still go: others may be taking its place. */
export type Stance = 'works' | 'begins_nothing' | 'gives_up';

/** After a fifth of the lease without an answer nothing new is started: 5 s of 25 s. */
const fencedShare = 5;

export interface Silence {
  /** Since an answer to a heartbeat last counted. */
  silentMs: number;
  leaseMs: number;
  /** What the last answer said. */
  isLedgerDown: boolean;
}

/** While the ledger is down nobody can lease again what a runner has: it gives up nothing. */
export function stanceOf({ silentMs, leaseMs, isLedgerDown }: Silence): Stance {
  if (silentMs < leaseMs / fencedShare) return 'works';
  return silentMs > leaseMs && !isLedgerDown ? 'gives_up' : 'begins_nothing';
}

/**
 * Whether an answer ends the silence. That the ledger is down says nothing about what became of a runner's work: it keeps going
 * a runner that has heard all until then, and no other.
 */
export const endsSilence = (answer: Silence): boolean => !answer.isLedgerDown || stanceOf(answer) === 'works';

/** A silence of the coordinators longer than this share of a lease may have kept heartbeats from arriving. */
const outageShare = 0.4;

/** Whether the silence of runners may be our own fault: then all reapers wait one lease before they take anything from them. */
export const hadOutage = ({
  silenceMs,
  leaseMs,
}: {
  /** How long no coordinator was there that runners could reach; null when nobody knows of one. */
  silenceMs: number | null;
  leaseMs: number;
}): boolean => silenceMs === null || silenceMs > leaseMs * outageShare;

/** What the ledger has published and nobody has claimed is sent again when the broker holds less of it in two looks running. */
export function lookForLost(
  wasSuspect: boolean,
  { published, waiting }: { published: number; waiting: number },
): { isSuspect: boolean; republish: boolean } {
  const isMissing = published > 0 && waiting < published;
  return { isSuspect: isMissing && !wasSuspect, republish: isMissing && wasSuspect };
}
