import { Chaos, type ChaosEntry } from '@proofmark/process/chaos';

/** Where a coordinator may be made to fail. */
export const coordinatorChaosPoints = [
  'before_run_commit',
  'after_run_commit',
  'after_publish_before_mark',
  'after_claim_commit_before_reply',
  'after_insert_before_commit',
  'after_commit_before_ack',
  'before_finalize_commit',
  'after_finalize_commit',
  'after_forge_write_before_mark',
  'before_alert_send',
  'after_alert_send_before_mark',
  'after_reap_commit',
  'in_migration',
] as const;
type ChaosPoint = (typeof coordinatorChaosPoints)[number];

// One for the process: statements of the ledger would have to carry it through every call else.
let chaos = new Chaos<ChaosPoint>([]);

export function armChaos(plan: readonly ChaosEntry<ChaosPoint>[]): void {
  chaos = new Chaos(plan);
}

export const armedChaos = (): ChaosPoint[] => chaos.points;

export const chaosPoint = (point: ChaosPoint): Promise<void> => chaos.at(point);
