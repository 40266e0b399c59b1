import { arch, platform } from 'node:os';
import { join } from 'node:path';
import type { LoadedDefinitions } from '@proofmark/contracts/loaded';
import type { RunRequest } from '@proofmark/domain/plan-run';
import { readModelKeys } from '@proofmark/embedded/environment';
import { type EmbeddedRun, type EmbeddedRunInput, runEmbedded } from '@proofmark/embedded/run-embedded';
import type { Job } from '../job/job.ts';

export interface Execution {
  runId: string;
  definitions: LoadedDefinitions;
  baselineDefinitions: LoadedDefinitions | null;
  request: RunRequest;
  /** Null: what the project says. */
  concurrency: number | null;
  budgetUsd: number | null;
  /** Where the programs of the base are; null: they are not at hand. */
  baseFolder: string | null;
  onError: 'block' | 'allow';
  onPlanned: NonNullable<EmbeddedRunInput['onPlanned']>;
  onMeasuring: NonNullable<EmbeddedRunInput['onMeasuring']>;
  onFinished: NonNullable<EmbeddedRunInput['onFinished']>;
}

/** `wrongKeys`: the environment of the step holds settings of models that cannot be meant. */
export type Executed = EmbeddedRun | { ok: false; wrongKeys: string[] };

/** Executes the cases in this job, with the model keys of its environment. */
export async function executeCases(execution: Execution, job: Job): Promise<Executed> {
  const { baselineDefinitions, concurrency, budgetUsd, baseFolder, ...rest } = execution;
  const { environment, signal } = job;
  const read = readModelKeys();
  if (!read.ok) return { ok: false, wrongKeys: read.problems };
  for (const key of read.keys.values.values()) if (key !== undefined) job.mask(key);
  return await runEmbedded({
    ...rest,
    ...(baselineDefinitions === null ? {} : { baselineDefinitions }),
    ...(concurrency === null ? {} : { concurrency }),
    ...(budgetUsd === null ? {} : { budgetUsd }),
    ...(baseFolder === null ? {} : { baseFolder }),
    baseCheckout: baseFolder === null ? 'missing' : 'given',
    root: environment.workspace ?? process.cwd(),
    runSeed: execution.runId,
    resultsDirectory: join(environment.temp ?? process.cwd(), 'proofmark'),
    keys: read.keys,
    version,
    environment: { node: process.version, os: `${platform()} ${arch()}`, ci: 'true' },
    signal,
  });
}

import manifest from '../../package.json' with { type: 'json' };

/** The version of this Action, as its package says; it becomes part of the bundle. */
const { version } = manifest;
