import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '@proofmark/contracts/parse-json';
import { z } from 'zod';
import { readPlacedLines } from './result-files.ts';
import { runFolder } from './run-folder.ts';
import { type KeptPlan, readPlan } from './run-plan.ts';

const SuiteRunEntry = z.looseObject({
  suite: z.string(),
  cell: z.string(),
  variant: z.string(),
  passed: z.int(),
  failed: z.int(),
  errored: z.int(),
  skipped: z.int(),
  pass_rate: z.number().nullable(),
  cost_usd: z.number().nullish(),
  verdict: z.looseObject({ title: z.string() }).nullable(),
});
export type SuiteRunEntry = z.infer<typeof SuiteRunEntry>;

const RunFile = z.looseObject({
  run_id: z.string(),
  finished_at: z.string().nullish(),
  is_interrupted: z.boolean().default(false),
  /** Where a coordinator shows it; absent: it ran here. */
  run_url: z.string().optional(),
  suite_runs: z.array(SuiteRunEntry).default([]),
});

/** A run as its folder shows it. */
export interface ListedRun {
  runId: string;
  /** Null for a run of a coordinator, and for one of an older version. */
  startedAt: string | null;
  /** `open`: it never came to its end; it still goes on, or was killed. */
  state: 'ended' | 'interrupted' | 'open';
  /** Test runs that were planned, and how many of them have a result. */
  planned: number;
  executed: number;
  passed: number;
  suites: string[];
  suiteRuns: SuiteRunEntry[];
  runUrl: string | null;
  /** Whether it can go on in this folder. */
  canGoOn: boolean;
}

/** The runs in a folder of results, by their ids; empty when there is no such folder. What is no run is passed over. */
export async function listKeptRuns(resultsDirectory: string): Promise<ListedRun[]> {
  if (!existsSync(resultsDirectory)) return [];
  const runs: ListedRun[] = [];
  for (const name of (await readdir(resultsDirectory)).toSorted()) {
    const run = await readListedRun(resultsDirectory, name);
    if (run !== null) runs.push(run);
  }
  return runs;
}

/** Null when the results have no such run. */
export async function readListedRun(resultsDirectory: string, runId: string): Promise<ListedRun | null> {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(runId)) return null;
  const folder = join(resultsDirectory, runId);
  const plan = await planIn(folder);
  const file = await runFileIn(folder);
  if (file !== null) return { ...endedRun(runId, file, plan), ...countsOf(file.suite_runs) };
  if (plan === null) return null;
  return {
    runId,
    state: 'open',
    suiteRuns: [],
    runUrl: null,
    suites: suitesOf(plan.suite_runs),
    startedAt: plan.started_at,
    canGoOn: plan.command !== null,
    ...(await countKept(resultsDirectory, plan)),
  };
}

async function planIn(folder: string): Promise<KeptPlan | null> {
  if (!existsSync(folder)) return null;
  const read = await readPlan(folder);
  return read.ok ? read.plan : null;
}

async function runFileIn(folder: string): Promise<z.infer<typeof RunFile> | null> {
  const path = join(folder, 'run.json');
  return existsSync(path) ? (RunFile.safeParse(parseJson(await readFile(path, 'utf8'))).data ?? null) : null;
}

const suitesOf = (of: readonly { suite: string }[]): string[] => [...new Set(of.map(({ suite }) => suite))];

const endedRun = (
  runId: string,
  { is_interrupted, run_url, suite_runs }: z.infer<typeof RunFile>,
  plan: KeptPlan | null,
): Omit<ListedRun, keyof Counts> => ({
  runId,
  suiteRuns: suite_runs,
  runUrl: run_url ?? null,
  suites: suitesOf(suite_runs),
  state: is_interrupted ? 'interrupted' : 'ended',
  startedAt: plan?.started_at ?? null,
  canGoOn: is_interrupted && plan?.command != null,
});

type Counts = Pick<ListedRun, 'planned' | 'executed' | 'passed'>;

function countsOf(suiteRuns: readonly SuiteRunEntry[]): Counts {
  const sum = (of: (one: SuiteRunEntry) => number): number => suiteRuns.reduce((total, one) => total + of(one), 0);
  const executed = sum(({ passed, failed }) => passed + failed);
  return { executed, planned: executed + sum(({ skipped }) => skipped), passed: sum(({ passed }) => passed) };
}

const Outcome = z.looseObject({ outcome: z.looseObject({ status: z.string() }) });

/** What a run that never wrote its end has in its results files. */
async function countKept(resultsDirectory: string, { run_id, suite_runs }: KeptPlan): Promise<Counts> {
  const folder = runFolder(resultsDirectory, run_id);
  const counts = { planned: 0, executed: 0, passed: 0 };
  for (const [position, { suite, cell, variant, cases, repetitions }] of suite_runs.entries()) {
    counts.planned += cases.length * repetitions;
    const path = folder.resultsPath({ suiteName: suite, cellKey: cell, variant }, position);
    if (!existsSync(path)) continue;
    for await (const { text } of readPlacedLines(path)) {
      const line = Outcome.safeParse(parseJson(text));
      if (!line.success) continue;
      counts.executed += 1;
      if (line.data.outcome.status === 'passed') counts.passed += 1;
    }
  }
  return counts;
}
