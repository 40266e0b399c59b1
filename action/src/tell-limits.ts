import type { Inputs } from './inputs.ts';
import type { Job } from './job.ts';

/**
 * What a coordinator cannot be asked for. A limit of costs that nobody keeps and a comparison with something else than
 * what was meant are worse than no run: null, or why the job ends.
 */
export function refusedByCoordinator({ baseline, 'budget-usd': budget }: Inputs): string | null {
  if (budget !== null) {
    return 'budget-usd is kept only where the cases run inside the job: leave it out, or set no coordinator.';
  }
  if (!['auto', 'run', 'none'].includes(baseline)) {
    return 'A ref as baseline is for cases that run inside the job: a coordinator compares with its base runs, so use auto, run or none.';
  }
  return null;
}

/** Says before anybody waits which inputs mean nothing where the cases run. */
export function tellLimits(
  inputs: Inputs,
  isEmbedded: boolean,
  { remark, write }: Pick<Job, 'remark' | 'write'>,
): void {
  if (isEmbedded) return;
  if (inputs['base-path'] !== null) {
    remark({
      level: 'warning',
      message: 'base-path is for cases that run inside the job: a coordinator does not read it.',
    });
  }
  if (inputs.baseline === 'run') {
    write('baseline: run is auto here: a coordinator executes the base beside the head once the base was recorded.');
  }
}
