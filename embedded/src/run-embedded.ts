import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/load-definitions';
import type { Problem } from '@proofmark/contracts/problem';
import type { VerdictSettings } from '@proofmark/contracts/verdict';
import { type PlanInput, type PlannedSuiteRun, planRun, type RunRequest } from '@proofmark/domain/plan-run';
import type { ModelKeys } from './environment.ts';
import { openPorts } from './run/case-ports.ts';
import { type FinishedSuiteRun, finishSuiteRun } from './run/finish-suite-run.ts';
import { type RunFolder, runFolder } from './run/run-folder.ts';
import { runTestRuns, type TestRunFinished } from './run/run-test-runs.ts';
import type { TestRunRow } from './run/test-run-row.ts';

export interface EmbeddedRunInput {
  /** Letters, digits, `_` and `-`: names the folder of the run. */
  runId: string;
  definitions: LoadedDefinitions;
  /** The definitions that are compared with; needed for the variant `baseline`. */
  baselineDefinitions?: LoadedDefinitions;
  request: RunRequest;
  /** Equal seeds give equal seeds of every trial. */
  runSeed: string;
  /** Results go to a folder of the run in here. */
  resultsDirectory: string;
  keys: ModelKeys;
  /** The repository, from which files of cases are read. Absent: the current folder. */
  root?: string;
  /** A checkout of the base, in which its programs run. */
  baseFolder?: string;
  /** Whether agents that are programs of the repository can be compared; absent: only by what their definitions say. */
  baseCheckout?: PlanInput['baseCheckout'];
  /** Absent: `limits.concurrency` of the project. */
  concurrency?: number;
  budgetUsd?: number;
  onError?: VerdictSettings['onError'];
  version: string;
  environment: Readonly<Record<string, string>>;
  onPlanned?: (plan: {
    testRuns: number;
    suiteRuns: number;
    planned: readonly PlannedSuiteRun[];
    warnings: readonly Problem[];
  }) => void;
  onFinished?: (event: TestRunFinished) => void;
  /** An abort ends what is running and starts nothing new; what is finished is still reported. */
  signal: AbortSignal;
}

export type EmbeddedRun =
  | { ok: false; problems: Problem[] }
  | { ok: true; isInterrupted: boolean; folder: string; suiteRuns: FinishedSuiteRun[]; warnings: Problem[] };

/** Plans, runs, judges and reports in this process. Problems of the request are a value and nothing has started then. */
export async function runEmbedded(input: EmbeddedRunInput): Promise<EmbeddedRun> {
  const { definitions, baselineDefinitions, request, runSeed, baseCheckout, signal } = input;
  const base = { ...(baselineDefinitions && { baselineDefinitions }), ...(baseCheckout && { baseCheckout }) };
  const planned = planRun({ definitions, ...base, request, runSeed });
  if (!planned.ok) return planned;
  const { suiteRuns, warnings } = planned.plan;
  input.onPlanned?.({
    testRuns: suiteRuns.flatMap(({ testRuns }) => testRuns).length,
    suiteRuns: suiteRuns.length,
    planned: suiteRuns,
    warnings,
  });
  const folder = runFolder(input.resultsDirectory, input.runId);
  const rows = await runPlanned(input, suiteRuns, folder);
  const finished = await finishAll(input, { suiteRuns, rows, folder });
  await folder.write('run.json', `${JSON.stringify(runFile(input, finished), null, 2)}\n`);
  return { ok: true, isInterrupted: signal.aborted, folder: folder.path, suiteRuns: finished, warnings };
}

async function runPlanned(
  input: EmbeddedRunInput,
  suiteRuns: readonly PlannedSuiteRun[],
  folder: RunFolder,
): Promise<TestRunRow[][]> {
  const { runId, definitions, signal, onFinished = () => undefined } = input;
  const { limits } = definitions.project;
  await using open = openPorts({ keys: input.keys, root: input.root, baseFolder: input.baseFolder });
  return await runTestRuns({
    ...{ runId, definitions, suiteRuns, folder, signal, onFinished },
    ports: open.ports,
    concurrency: input.concurrency ?? limits.concurrency,
    budgetUsd: input.budgetUsd ?? limits.budget_usd,
  });
}

interface ExecutedRun {
  suiteRuns: readonly PlannedSuiteRun[];
  rows: readonly TestRunRow[][];
  folder: RunFolder;
}

/** One after another: only one report is in memory at a time. */
async function finishAll(
  input: EmbeddedRunInput,
  { suiteRuns, rows, folder }: ExecutedRun,
): Promise<FinishedSuiteRun[]> {
  const finished: FinishedSuiteRun[] = [];
  for (const [position, planned] of suiteRuns.entries()) {
    const { version, environment, onError = 'block' } = input;
    finished.push(
      await finishSuiteRun({
        ...{ folder, position, planned, onError },
        rows: rows[position] ?? [],
        loaded: loadedSuite(input.definitions, planned),
        baseline: baselineOf(planned, suiteRuns, rows),
        report: { timestamp: new Date().toISOString(), version, environment },
      }),
    );
  }
  return finished;
}

function baselineOf(planned: PlannedSuiteRun, suiteRuns: readonly PlannedSuiteRun[], rows: readonly TestRunRow[][]) {
  if (planned.variant === 'baseline') return null;
  const position = suiteRuns.findIndex(
    ({ variant, suitePath, cellKey }) =>
      variant === 'baseline' && suitePath === planned.suitePath && cellKey === planned.cellKey,
  );
  const found = suiteRuns[position];
  return found === undefined ? null : { planned: found, position, rows: rows[position] ?? [] };
}

function loadedSuite({ suites }: LoadedDefinitions, { suitePath }: PlannedSuiteRun): LoadedSuite {
  const loaded = suites.find(({ path }) => path === suitePath);
  if (loaded === undefined) throw new Error(`The plan has a suite that was not loaded: ${suitePath}`);
  return loaded;
}

/** What the folder of the run says about the run as a whole. */
function runFile(
  { runId, request, runSeed, version, environment, signal }: EmbeddedRunInput,
  suiteRuns: FinishedSuiteRun[],
) {
  return {
    run_id: runId,
    finished_at: new Date().toISOString(),
    is_interrupted: signal.aborted,
    proofmark_version: version,
    environment,
    run_seed: runSeed,
    request,
    suite_runs: suiteRuns.map(({ suiteName, suitePath, cellKey, variant, totals, report, verdict, costUsd }) => ({
      suite: suiteName,
      suite_path: suitePath,
      cell: cellKey,
      variant,
      ...totals,
      pass_rate: report.ok ? report.summary.pass_rate : null,
      report: report.ok ? report.path : null,
      cost_usd: costUsd,
      verdict,
    })),
  };
}
