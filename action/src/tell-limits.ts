import type { Inputs } from './inputs.ts';
import type { Job } from './job.ts';
import { foreignLine } from './job-log.ts';
import type { Trigger } from './read-event.ts';

interface Request {
  inputs: Inputs;
  trigger: Trigger;
  isEmbedded: boolean;
}

/** Says before anybody waits which inputs this version does not act on: better said than silently left out. */
export function tellLimits(
  { inputs, trigger, isEmbedded }: Request,
  { remark, write }: Pick<Job, 'remark' | 'write'>,
): void {
  const warn = (message: string) => remark({ level: 'warning', message });
  const isProposal = trigger.event === 'pull_request' || trigger.event === 'merge_group';
  if (isProposal && inputs['only-affected']) write('Every suite is run: only-affected has no effect yet.');
  if (inputs['base-path'] !== null) warn('base-path has no effect yet.');
  if (isEmbedded) tellEmbedded({ inputs, isProposal, warn, write });
  else tellCoordinator(inputs, warn);
}

function tellCoordinator({ baseline, 'budget-usd': budget }: Inputs, warn: (message: string) => void): void {
  if (baseline !== 'auto' && baseline !== 'none') {
    warn(`baseline: ${foreignLine(baseline)} is not supported with a coordinator yet: using auto.`);
  }
  if (budget !== null) warn('budget-usd has no effect with a coordinator yet.');
}

interface EmbeddedRequest {
  inputs: Inputs;
  isProposal: boolean;
  warn: (message: string) => void;
  write: Job['write'];
}

function tellEmbedded({ inputs: { report, baseline }, isProposal, warn, write }: EmbeddedRequest): void {
  if (report === 'app' || report === 'token') {
    warn(`report: ${report} needs a coordinator: the result is in the summary of this job.`);
  }
  if (isProposal && baseline !== 'none') {
    write('Without a coordinator nothing is compared with the base yet: every suite is without a baseline.');
  }
}
