import { join } from 'node:path';
import type { CassetteEntry } from '@proofmark/contracts/cassette';
import type { LoadedDefinitions } from '@proofmark/contracts/load-definitions';
import type { Problem } from '@proofmark/contracts/problem';
import type { Verdict, VerdictSettings } from '@proofmark/contracts/verdict';
import { fileDigestIn } from '@proofmark/domain/file-digests';
import { type PlanInput, type PlannedSuiteRun, planRun, type RunRequest } from '@proofmark/domain/plan-run';
import { sumKnown } from '@proofmark/domain/totals';
import type { LabelJudged } from './calibration/measure-judge.ts';
import { type MeasuredJudges, type MeasuringJudge, measureJudges } from './calibration/measure-judges.ts';
import { measurementCache } from './calibration/measurement-cache.ts';
import { hashCaseFiles } from './case-files.ts';
import type { ModelKeys } from './environment.ts';
import { digestPlan } from './resume/digest-plan.ts';
import { openRun, type RunRefusal, refusalProblems } from './resume/open-run.ts';
import { type RecalledResults, recallResults } from './resume/recall-results.ts';
import { recordDecisions } from './resume/round-decisions.ts';
import type { RunCommand, RunPlan } from './resume/run-plan.ts';
import { openPorts } from './run/case-ports.ts';
import { type ConfirmedSuspicions, confirmSuspicions } from './run/confirm-suspicions.ts';
import { type FinishedSuiteRun, finishSuiteRun } from './run/finish-suite-run.ts';
import { type EarlierResults, type JudgedAnew, judgeAgain } from './run/judge-again.ts';
import { baselinePosition, type Judge, loadedSuite, openJudge } from './run/judge-cells.ts';
import { type RecordedCassette, recordCassette } from './run/record-cassette.ts';
import { runFile } from './run/run-file.ts';
import { confirmationFolder, judgedAgainFolder, type RunFolder, runFolder } from './run/run-folder.ts';
import { type ExecutedTestRuns, runTestRuns, type TestRunFinished } from './run/run-test-runs.ts';
import { isOver, type Spending } from './run/spending.ts';
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
  /** Absent: a run without a base is neutral. */
  withoutBase?: VerdictSettings['withoutBase'];
  /** Results of an earlier run, compared with where the base does not run beside. */
  earlier?: EarlierResults;
  /** What simulated tools answered in that run: they say the same again. */
  heard?: readonly CassetteEntry[];
  /** How sentences call the base; absent: "the base". */
  baseName?: string;
  version: string;
  environment: Readonly<Record<string, string>>;
  /** What was typed to start it; absent: nothing was, and only a program can go on with it. */
  command?: RunCommand;
  /** Goes on with the run of this id, which was interrupted. Its seed has to be the same. */
  isResumed?: boolean;
  /** Told before anything runs when results of an earlier process are there. */
  onRecalled?: (recalled: RecalledTotals) => void;
  onPlanned?: (plan: {
    testRuns: number;
    suiteRuns: number;
    planned: readonly PlannedSuiteRun[];
    warnings: readonly Problem[];
  }) => void;
  /** Told before a judge is asked about labelled answers, and after each of them. */
  onMeasuring?: (judge: MeasuringJudge) => void;
  onJudged?: (event: LabelJudged) => void;
  /** Told before suspected suites run again. */
  onConfirming?: (rerun: { suiteRuns: readonly PlannedSuiteRun[]; testRuns: number }) => void;
  /** Told before stored answers of the base are judged again, because the judge has changed. */
  onJudgingAgain?: (rerun: { suiteRuns: readonly PlannedSuiteRun[]; testRuns: number }) => void;
  onFinished?: (event: TestRunFinished) => void;
  /** An abort ends what is running and starts nothing new; what is finished is still reported. */
  signal: AbortSignal;
}

/** What an earlier process of a run got, of how many test runs. */
export type RecalledTotals = Pick<RecalledResults, 'testRuns' | 'passed' | 'errored' | 'spent'> & { total: number };

export type EmbeddedRun =
  /** `refusal`: the run itself is fine, but it cannot begin or go on here. */
  | { ok: false; problems: Problem[]; refusal?: RunRefusal }
  | { ok: true; isInterrupted: boolean; folder: string; suiteRuns: FinishedSuiteRun[]; warnings: Problem[] };

/** Plans, runs, judges and reports in this process. Problems of the request are a value and nothing has started then. */
export async function runEmbedded(input: EmbeddedRunInput): Promise<EmbeddedRun> {
  const { definitions, baselineDefinitions, request, runSeed, baseCheckout, signal } = input;
  const base = { ...(baselineDefinitions && { baselineDefinitions }), ...(baseCheckout && { baseCheckout }) };
  // Both sides read their files here: the base's agent answers the head's cases, at the head's documents.
  const fileDigest = fileDigestIn(await hashCaseFiles(definitions.suites, input.root ?? process.cwd()));
  const planned = planRun({ definitions, ...base, request, runSeed, fileDigest });
  if (!planned.ok) return planned;
  const { suiteRuns, warnings } = planned.plan;
  const folder = runFolder(input.resultsDirectory, input.runId);
  const { isResumed = false } = input;
  await using opened = await openRun(folder, { plan: planOf(input, suiteRuns), suiteRuns, isResumed });
  if (!opened.ok) return { ok: false, problems: refusalProblems(opened.refusal), refusal: opened.refusal };
  const testRuns = suiteRuns.flatMap((suiteRun) => suiteRun.testRuns).length;
  input.onPlanned?.({ testRuns, suiteRuns: suiteRuns.length, planned: suiteRuns, warnings });
  const { recalled } = opened;
  if (recalled.testRuns > 0) input.onRecalled?.({ ...recalled, total: runnable(suiteRuns) });
  const { earlier, baseName, onError = 'block', withoutBase } = input;
  await using decisions = await recordDecisions(folder.decisionsPath);
  const measured = await askJudges(input, suiteRuns);
  const { judges, spent } = measured;
  const loaded = { definitions, baselineDefinitions, suiteRuns };
  const judge = openJudge({ ...loaded, onError, withoutBase, earlier, baseName, judges, decisions });
  await using cassette = await recordCassette(folder.cassettePath, input.heard);
  const executed = await runPlanned(input, {
    suiteRuns,
    folder,
    cassette,
    isStopped: judge.isStopped,
    recalled,
    spent,
  });
  const judged = await judgeAndConfirm(input, { judge, executed, suiteRuns, folder, cassette });
  const finished = await finishAll(input, { suiteRuns, rows: executed.rows, ...judged, measured, folder });
  await folder.write('run.json', `${JSON.stringify(runFile(input, finished), null, 2)}\n`);
  return { ok: true, isInterrupted: signal.aborted, folder: folder.path, suiteRuns: finished, warnings };
}

/** Without those that are never run, such as drafts. */
const runnable = (suiteRuns: readonly PlannedSuiteRun[]): number =>
  suiteRuns.flatMap(({ testRuns }) => testRuns.filter(({ decided }) => decided?.status !== 'skipped')).length;

/** What the run is to do, as it is written down before it begins. */
const planOf = (
  { runId, runSeed, version, command, definitions }: EmbeddedRunInput,
  suiteRuns: readonly PlannedSuiteRun[],
): RunPlan => ({
  run_id: runId,
  started_at: new Date().toISOString(),
  proofmark_version: version,
  run_seed: runSeed,
  command: command ?? null,
  ...digestPlan({ definitions, suiteRuns }),
});

interface JudgedRun {
  judge: Judge;
  executed: ExecutedTestRuns;
  suiteRuns: readonly PlannedSuiteRun[];
  folder: RunFolder;
  cassette: RecordedCassette;
}

interface Verdicts {
  verdicts: readonly (Verdict | null)[];
  /** What settling suspicions and judging again cost, by the position of the suite run. */
  costsUsd: ConfirmedSuspicions['costsUsd'];
}

/** The verdicts, after answers of another judge were judged again and a suspicion was settled by running all cases again. */
async function judgeAndConfirm(input: EmbeddedRunInput, judgedRun: JudgedRun): Promise<Verdicts> {
  const { judge, suiteRuns, folder, cassette } = judgedRun;
  const { rows } = judgedRun.executed;
  const judged = await judgeStored(input, judgedRun);
  const { again, costsUsd, spent } = judged;
  const verdicts = judge.judge(rows, { again });
  const suspicions = judge.suspicions(verdicts);
  if (suspicions.length === 0) return { verdicts, costsUsd };
  // Who cannot run anything more decides by what there is.
  if (input.signal.aborted || isOver(spent, budgetOf(input))) {
    return { verdicts: judge.judge(rows, { rerun: null, again }), costsUsd };
  }
  const confirmed = await confirmSuspicions({
    suiteRuns,
    suspicions,
    runSeed: input.runSeed,
    run: async (reruns) => {
      input.onConfirming?.({ suiteRuns: reruns, testRuns: reruns.flatMap(({ testRuns }) => testRuns).length });
      // A folder of its own: the results and the report of the first look stay as they are.
      const apart = runFolder(folder.path, confirmationFolder);
      const recalled = await recallResults(apart, reruns);
      const context = { suiteRuns: reruns, folder: apart, cassette, isStopped: () => false, spent, recalled };
      return (await runPlanned(input, context)).rows;
    },
  });
  // A suspicion is settled only where the base ran beside, and there nothing was judged again.
  const allCosts = new Map([...costsUsd, ...confirmed.costsUsd]);
  return { verdicts: judge.judge(rows, { rerun: confirmed.fresh, again }), costsUsd: allCosts };
}

/** What the base once said, judged by the judge of this run where another one judged it then, and all that is spent by then. */
async function judgeStored(
  input: EmbeddedRunInput,
  { executed, suiteRuns, folder, cassette }: JudgedRun,
): Promise<JudgedAnew & { spent: Spending }> {
  const { earlier, signal } = input;
  let { spent } = executed;
  if (earlier === undefined || signal.aborted) return { again: new Map(), costsUsd: new Map(), spent };
  const judged = await judgeAgain({
    suiteRuns,
    earlier,
    run: async (stored) => {
      input.onJudgingAgain?.({ suiteRuns: stored, testRuns: stored.flatMap(({ testRuns }) => testRuns).length });
      const apart = runFolder(folder.path, judgedAgainFolder);
      const recalled = await recallResults(apart, stored);
      const context = { suiteRuns: stored, folder: apart, cassette, isStopped: () => false, spent, recalled };
      const done = await runPlanned(input, context);
      spent = done.spent;
      return done.rows;
    },
  });
  return { ...judged, spent };
}

/** How far the judges of suites agree with people, as far as labelled answers say so. */
function askJudges(input: EmbeddedRunInput, suiteRuns: readonly PlannedSuiteRun[]): Promise<MeasuredJudges> {
  const { definitions, keys, root, signal, onMeasuring = () => undefined, onJudged = () => undefined } = input;
  return measureJudges({
    definitions,
    suiteRuns,
    signal,
    onMeasuring,
    onJudged,
    budget: budgetOf(input),
    cache: measurementCache(join(input.resultsDirectory, 'calibrations')),
    openPorts: () => openPorts({ keys, root }),
    concurrency: input.concurrency ?? definitions.project.limits.concurrency,
  });
}

interface RunningPlan {
  suiteRuns: readonly PlannedSuiteRun[];
  folder: RunFolder;
  cassette: RecordedCassette;
  isStopped: Judge['isStopped'];
  /** What the run has used before. */
  spent?: Spending;
  recalled: RecalledResults;
}

const budgetOf = ({ definitions, budgetUsd }: EmbeddedRunInput): { usd: number | null; tokens: number | null } => ({
  usd: budgetUsd ?? definitions.project.limits.budget_usd,
  tokens: definitions.project.limits.budget_tokens,
});

async function runPlanned(
  input: EmbeddedRunInput,
  { suiteRuns, folder, cassette, isStopped, spent, recalled }: RunningPlan,
): Promise<ExecutedTestRuns> {
  const { runId, definitions, signal, onFinished = () => undefined } = input;
  const { limits } = definitions.project;
  const { keys, root, baseFolder } = input;
  await using open = openPorts({ keys, root, baseFolder, cassette });
  return await runTestRuns({
    runId,
    definitions,
    suiteRuns,
    folder,
    isStopped,
    signal,
    onFinished,
    recalled,
    spent,
    ports: open.ports,
    concurrency: input.concurrency ?? limits.concurrency,
    budget: budgetOf(input),
  });
}

interface ExecutedRun extends Verdicts {
  measured: MeasuredJudges;
  suiteRuns: readonly PlannedSuiteRun[];
  rows: readonly TestRunRow[][];
  folder: RunFolder;
}

/** One after another: only one report is in memory at a time. */
async function finishAll(
  input: EmbeddedRunInput,
  { suiteRuns, rows, verdicts, costsUsd, measured, folder }: ExecutedRun,
): Promise<FinishedSuiteRun[]> {
  const finished: FinishedSuiteRun[] = [];
  for (const [position, planned] of suiteRuns.entries()) {
    const { version, environment } = input;
    finished.push(
      await finishSuiteRun({
        folder,
        position,
        planned,
        verdict: verdicts[position] ?? null,
        rows: rows[position] ?? [],
        besideUsd: sumKnown([costsUsd.get(position), measuringUsd(measured, suiteRuns, position)]),
        loaded: loadedSuite(input.definitions, planned),
        baseline: baselineOf(position, suiteRuns, rows),
        report: { timestamp: new Date().toISOString(), version, environment },
      }),
    );
  }
  return finished;
}

/** What measuring its judge cost counts for the first suite run that was judged by it. */
function measuringUsd({ costsUsd }: MeasuredJudges, suiteRuns: readonly PlannedSuiteRun[], position: number) {
  const path = suiteRuns[position]?.suitePath ?? '';
  const first = suiteRuns.findIndex(({ suitePath, variant }) => suitePath === path && variant !== 'baseline');
  return first === position ? costsUsd.get(path) : null;
}

function baselineOf(head: number, suiteRuns: readonly PlannedSuiteRun[], rows: readonly TestRunRow[][]) {
  const position = baselinePosition(suiteRuns, head);
  const planned = position === null ? undefined : suiteRuns[position];
  return position === null || planned === undefined ? null : { planned, position, rows: rows[position] ?? [] };
}
