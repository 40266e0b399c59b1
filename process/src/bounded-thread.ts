import { setFlagsFromString } from 'node:v8';
import { type ResourceLimits, Worker, type WorkerOptions } from 'node:worker_threads';

/** What Node was told when it started counts for each heap that begins later, before what a thread is told. Zero: it was told nothing. */
const toldAtStart = ['--max-old-space-size=0', '--max-semi-space-size=0'];

type Bounds = Required<Pick<ResourceLimits, 'maxOldGenerationSizeMb' | 'maxYoungGenerationSizeMb'>>;

/** A thread whose memory is bounded by its own limits, and by none of the process. */
export function startBoundedThread(file: URL, options: WorkerOptions & { resourceLimits: Bounds }): Worker {
  for (const flag of toldAtStart) setFlagsFromString(flag);
  return new Worker(file, options);
}
