import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '@proofmark/contracts/problem';
import type { RunFolder } from '../results/run-folder.ts';
import { type KeptPlan, planName, readPlan } from '../results/run-plan.ts';
import { heldWords, lockFolder } from './lock-folder.ts';
import { changesSince } from './plan-digest.ts';
import { ForeignResults, nothingRecalled, type RecalledResults, recallResults } from './recall-results.ts';

/** Why a run cannot begin or go on: a sentence, and the facts behind it. */
export interface RunRefusal {
  message: string;
  details: string[];
}

/** `ok`: the folder belongs to this process until it is disposed of. */
export type OpenedRun = AsyncDisposable &
  ({ ok: true; recalled: RecalledResults } | { ok: false; refusal: RunRefusal });

interface Opening {
  plan: KeptPlan;
  suiteRuns: Parameters<typeof recallResults>[1];
  /** It began in an earlier process. */
  isResumed: boolean;
}

/** Takes the folder of a run: a new one is written down before anything is asked, an earlier one has to be the same. */
export async function openRun(folder: RunFolder, { plan, suiteRuns, isResumed }: Opening): Promise<OpenedRun> {
  // Before the lock makes the folder.
  const missing = isResumed && !existsSync(folder.path) ? await readPlan(folder.path) : undefined;
  if (missing !== undefined && !missing.ok) return refused({ message: missing.message, details: [] });
  const lock = await lockFolder(folder.path);
  if (!lock.ok) return refused({ message: heldWords(plan.run_id, lock), details: [] });
  const taken = isResumed ? await goOn(folder, plan, suiteRuns) : await begin(folder, plan);
  if ('message' in taken) {
    await lock[Symbol.asyncDispose]();
    return refused(taken);
  }
  return { ok: true, recalled: taken, [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose]() };
}

const refused = (refusal: RunRefusal): OpenedRun => ({
  ok: false,
  refusal,
  [Symbol.asyncDispose]: async () => undefined,
});

async function begin(folder: RunFolder, plan: KeptPlan): Promise<RecalledResults | RunRefusal> {
  if (existsSync(join(folder.path, planName))) {
    const message = `There is a run ${plan.run_id} already: go on with it by --resume ${plan.run_id}`;
    return { message, details: [] };
  }
  await folder.write(planName, `${JSON.stringify(plan)}\n`);
  return nothingRecalled;
}

async function goOn(
  folder: RunFolder,
  plan: KeptPlan,
  suiteRuns: Opening['suiteRuns'],
): Promise<RecalledResults | RunRefusal> {
  const read = await readPlan(folder.path);
  if (!read.ok) return { message: read.message, details: [] };
  const changes = changesSince(read.plan, plan);
  if (changes.length > 0) {
    return { message: `${plan.run_id} cannot go on, because this has changed since it was started:`, details: changes };
  }
  try {
    return await recallResults(folder, suiteRuns);
  } catch (error) {
    if (!(error instanceof ForeignResults)) throw error;
    return { message: `${plan.run_id} cannot go on: ${error.message}`, details: [] };
  }
}

/** For callers that only know problems. */
export const refusalProblems = ({ message, details }: RunRefusal): Problem[] =>
  [message, ...details].map((text) => ({
    severity: 'error',
    code: 'mismatch',
    file: '',
    line: 1,
    column: 1,
    path: 'resume',
    message: text,
  }));
