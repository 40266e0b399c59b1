import type { Inputs } from './inputs.ts';
import type { Job } from './job.ts';

/** Why a coordinator cannot do what was asked; null when it can. Comparing with something else would be worse than no run. */
export function refusedByCoordinator({ baseline }: Pick<Inputs, 'baseline'>): string | null {
  if (['auto', 'run', 'none'].includes(baseline)) return null;
  return 'A ref as baseline is for cases that run inside the job: a coordinator compares with its base runs, so use auto, run or none.';
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
    write(
      'baseline: run: where no base run counts, the coordinator reads the merge base through the App and runs it too.',
    );
  }
}
