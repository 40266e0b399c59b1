import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { contentHash } from '@proofmark/contracts/content-hash';
import { CaseLife } from '@proofmark/contracts/words';
import type { StoredSuiteRun } from '../results/read-stored-results.ts';
import { runFolder } from '../results/run-folder.ts';
import { type KeptPlan, type PlannedSuite, planName, readPlan } from '../results/run-plan.ts';
import { readStoppedSuiteRuns } from './watch-rounds.ts';

/** The cases of one suite run of which a test run was planned and has no result. */
interface MissingResults {
  suiteName: string;
  caseNames: string[];
}

/**
 * What a run, or a part of it, was to do and has not done: it was interrupted or killed, its budget was spent, or it still
 * goes on. Nothing is missing where a cell was stopped early, or of a case that was never to run. Empty for results
 * without a plan, such as those of a coordinator.
 */
export async function casesWithoutResult(
  path: string,
  repetition: number | null,
  stored: readonly StoredSuiteRun[],
): Promise<MissingResults[]> {
  const folder = [path, dirname(path), dirname(dirname(path))].find((one) => existsSync(join(one, planName)));
  const read = folder === undefined ? undefined : await readPlan(folder);
  if (folder === undefined || !read?.ok) return [];
  // The folder may have another name by now; what lies in it has not.
  const run = runFolder('', read.plan.run_id);
  const here = (file: string): string => join(folder, relative(run.path, file));
  const stopped = await readStoppedSuiteRuns(here(run.decisionsPath));
  return read.plan.suite_runs.flatMap((planned, position) => {
    const { suite: suiteName, cell: cellKey, variant } = planned;
    const resultsPath = here(run.resultsPath({ suiteName, cellKey, variant }, position));
    const isNamed = [folder, dirname(resultsPath), resultsPath].includes(path);
    if (!isNamed || variant === 'baseline' || stopped.has(position)) return [];
    const trials = stored.find((one) => one.resultsPath === resultsPath)?.trials ?? [];
    const caseNames = missingOf(planned, { parts: read.plan.parts, repetition, trials });
    return caseNames.length === 0 ? [] : [{ suiteName, caseNames }];
  });
}

/** What a plan has in place of the variables of a case that was named and may not run: a draft, or one that is switched off. */
const neverRun = new Set([...CaseLife.options, 'disabled'].map((reason) => contentHash({ status: 'skipped', reason })));

interface Looked extends Pick<KeptPlan, 'parts'>, Pick<StoredSuiteRun, 'trials'> {
  repetition: number | null;
}

function missingOf({ cases, repetitions }: PlannedSuite, { parts, repetition, trials }: Looked): string[] {
  const known = new Set(trials.map((trial) => `${trial.repetition} ${trial.caseName}`));
  const all = Array.from({ length: repetitions }, (_, index) => index + 1);
  const wanted = all.filter((one) => repetition === null || one === repetition);
  return cases.flatMap(([name, , , , , decided]) =>
    neverRun.has(parts[decided] ?? '') || wanted.every((one) => known.has(`${one} ${name}`)) ? [] : [name],
  );
}
