import type { CollectedDefinitions } from '@proofmark/embedded/collect-definitions';
import type { Ending } from './decide-exit.ts';
import type { Inputs } from './inputs.ts';
import type { Job } from './job.ts';
import type { Trigger } from './read-event.ts';

interface EmbeddedRun {
  inputs: Inputs;
  trigger: Trigger;
  collected: CollectedDefinitions;
}

/** Executes the cases in this job. */
export async function runEmbeddedJob(_run: EmbeddedRun, job: Job): Promise<Ending> {
  job.outputs['execution-mode'] = 'embedded';
  job.remark({ level: 'error', message: 'No coordinator is given.' });
  return { kind: 'trouble' };
}
