/** How far a runner that hears nothing may still go: others may be taking its place. */
export type Stance = 'works' | 'begins_nothing' | 'gives_up';

/** After a fifth of the lease without an answer nothing new is started: 5 s of 25 s. */
const fencedShare = 5;

/** While the ledger is down nobody can lease again what a runner has: it begins nothing, and gives up nothing. */
export function stanceOf({
  silentMs,
  leaseMs,
  isLedgerDown,
}: {
  /** Since a heartbeat was last answered. */
  silentMs: number;
  leaseMs: number;
  /** What the last answer said. */
  isLedgerDown: boolean;
}): Stance {
  if (silentMs < leaseMs / fencedShare) return 'works';
  return silentMs > leaseMs && !isLedgerDown ? 'gives_up' : 'begins_nothing';
}

/** A silence of the coordinators longer than this share of a lease may have kept heartbeats from arriving. */
const outageShare = 0.4;

/** Whether the silence of runners may be our own fault: then a reaper waits one lease before it takes anything from them. */
export const hadOutage = ({
  silenceMs,
  leaseMs,
  isBrokerConnected,
}: {
  /** How long no coordinator has noted that it lives; null when none ever has. */
  silenceMs: number | null;
  leaseMs: number;
  isBrokerConnected: boolean;
}): boolean => !isBrokerConnected || (silenceMs !== null && silenceMs > leaseMs * outageShare);

/** What the ledger has published and nobody has claimed is sent again when the broker holds less of it in two looks running. */
export function lookForLost(
  wasSuspect: boolean,
  { published, waiting }: { published: number; waiting: number },
): { isSuspect: boolean; republish: boolean } {
  const isMissing = published > 0 && waiting < published;
  return { isSuspect: isMissing && !wasSuspect, republish: isMissing && wasSuspect };
}
