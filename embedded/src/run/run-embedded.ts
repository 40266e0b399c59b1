import { join } from 'node:path';
import type { CassetteEntry } from '@proofmark/contracts/cassette';
import type { LoadedDefinitions } from '@proofmark/contracts/loaded';
import type { Problem } from '@proofmark/contracts/problem';
import type { VerdictSettings } from '@proofmark/contracts/verdict';
import {
  fileDigestIn,
  type PlanInput,
  type PlannedRun,
  type PlannedSuiteRun,
  planRun,
  type RunRequest,
} from '@proofmark/domain/plan-run';
import { sumKnown } from '@proofmark/domain/totals';
import { jsonPieces } from '@proofmark/process/json-pieces';
import {
  type LabelJudged,
  type MeasuredJudges,
  type MeasuringJudge,
  measureJudges,
  measurementCache,
} from '../calibration/measure-judges.ts';
import { openOwnPorts } from '../case-ports.ts';
import { hashCaseFiles } from '../definitions/case-files.ts';
import { loadedSuite } from '../definitions/loaded-suite.ts';
import type { ModelKeys } from '../environment.ts';
import { type Budget, isOverBudget, type Spending } from '../limits.ts';
import type { Rescoring } from '../replay/open-rescoring.ts';
import { confirmationFolder, judgedAgainFolder, type RunFolder, runFolder } from '../results/run-folder.ts';
import type { KeptPlan, RunCommand } from '../results/run-plan.ts';
import type { TestRunRow } from '../results/test-run-row.ts';
import { openRun, type RunRefusal, refusalProblems } from '../resume/open-run.ts';
import { digestPlan } from '../resume/plan-digest.ts';
import { type RecalledResults, recallResults } from '../resume/recall-results.ts';
import type { AnswerCache } from './answer-cache.ts';
import { confirmSuspicions } from './confirm-suspicions.ts';
import { type EndedSuiteRun, reportSuiteRun } from './finish-suite-run.ts';
import { judgeAgain } from './judge-again.ts';
import {
  type EarlierResults,
  type ExecutedSuiteRun,
  executedPlan,
  type JudgedHead,
  openJudge,
  type RunJudge,
} from './judge-run.ts';
import { type RecordedCassette, recordCassette } from './record-cassette.ts';
import { runFile } from './run-file.ts';
import { type ExecutedTestRuns, runTestRuns, type TestRunFinished, type TestRunsInput } from './run-test-runs.ts';
import { recordDecisions } from './watch-rounds.ts';

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
  /** The stored answers of another run: they are judged, and no agent is asked. */
  rescoring?: Rescoring;
  /**
   * Answers that are known from earlier runs, and which suite runs may take them: those whose cases run once, all, or none.
   * Whatever is asked is known from then on, so that nobody is told later what was said before.
   */
  answers?: { cache: AnswerCache; takenBy: 'none' | 'single' | 'all' };
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
  | { ok: true; isInterrupted: boolean; folder: string; suiteRuns: EndedSuiteRun[]; warnings: Problem[] };

/** A run that is under way: what it is to do, and what the steps so far have found. Lists go by the position in the plan. */
interface RunState {
  input: EmbeddedRunInput;
  suiteRuns: readonly PlannedSuiteRun[];
  folder: RunFolder;
  recalled: RecalledResults;
  cassette: RecordedCassette;
  judge: RunJudge;
  measured: MeasuredJudges;
  spent: Spending;
  rows: readonly TestRunRow[][];
  /** What was run beside the plan: stored answers that were judged again, and what settles suspicions. */
  further: readonly ExecutedSuiteRun[];
  judged: ReadonlyMap<number, JudgedHead>;
  finished: readonly EndedSuiteRun[];
}

type Step = (run: RunState) => RunState | Promise<RunState>;

const steps: readonly Step[] = [
  askAgents,
  judgeStoredAnswers,
  decideVerdicts,
  settleSuspicions,
  writeReports,
  writeRunFile,
];

/** Plans, runs, judges and reports in this process. Problems of the request are a value and nothing has started then. */
export async function runEmbedded(input: EmbeddedRunInput): Promise<EmbeddedRun> {
  const planned = await planHere(input);
  if (!planned.ok) return planned;
  const { suiteRuns, warnings } = planned.plan;
  const folder = runFolder(input.resultsDirectory, input.runId);
  const { isResumed = false } = input;
  await using opened = await openRun(folder, { plan: writtenPlan(input, suiteRuns), suiteRuns, isResumed });
  if (!opened.ok) return { ok: false, problems: refusalProblems(opened.refusal), refusal: opened.refusal };
  const { recalled } = opened;
  tellBeginning(input, planned.plan, recalled);
  await using decisions = await recordDecisions(folder.decisionsPath);
  const measured = await askJudges(input, suiteRuns);
  const { definitions, baselineDefinitions, earlier, baseName, onError = 'block', withoutBase } = input;
  const compared = { definitions, baselineDefinitions, earlier, baseName };
  const judge = openJudge({ ...compared, suiteRuns, onError, withoutBase, judges: measured.judges, decisions });
  await using cassette = await recordCassette(folder.cassettePath, input.heard);
  let run: RunState = {
    input,
    suiteRuns,
    folder,
    recalled,
    cassette,
    judge,
    measured,
    spent: measured.spent,
    rows: [],
    further: [],
    judged: new Map(),
    finished: [],
  };
  for (const step of steps) run = await step(run);
  const { finished } = run;
  return { ok: true, isInterrupted: input.signal.aborted, folder: folder.path, suiteRuns: [...finished], warnings };
}

async function planHere(input: EmbeddedRunInput): Promise<PlannedRun> {
  const { definitions, baselineDefinitions, request, runSeed, baseCheckout } = input;
  const base = { ...(baselineDefinitions && { baselineDefinitions }), ...(baseCheckout && { baseCheckout }) };
  // Both sides read their files here: the base's agent answers the head's cases, at the head's documents.
  const fileDigest = fileDigestIn(await hashCaseFiles(definitions.suites, input.root ?? process.cwd()));
  const planned = planRun({ definitions, ...base, request, runSeed, fileDigest });
  if (!planned.ok || input.rescoring === undefined) return planned;
  return { ok: true, plan: { ...planned.plan, suiteRuns: input.rescoring.plan(planned.plan.suiteRuns) } };
}

/** What the run is to do, as it is written down before it begins. */
const writtenPlan = (
  { runId, runSeed, version, command, definitions }: EmbeddedRunInput,
  suiteRuns: readonly PlannedSuiteRun[],
): KeptPlan => ({
  run_id: runId,
  started_at: new Date().toISOString(),
  proofmark_version: version,
  run_seed: runSeed,
  command: command ?? null,
  ...digestPlan({ definitions, suiteRuns }),
});

function tellBeginning(
  { onPlanned, onRecalled }: EmbeddedRunInput,
  { suiteRuns, warnings }: Extract<PlannedRun, { ok: true }>['plan'],
  recalled: RecalledResults,
): void {
  const testRuns = suiteRuns.flatMap((suiteRun) => suiteRun.testRuns);
  onPlanned?.({ testRuns: testRuns.length, suiteRuns: suiteRuns.length, planned: suiteRuns, warnings });
  // Those that are never run, such as drafts, are not waited for.
  const total = testRuns.filter(({ decided }) => decided?.status !== 'skipped').length;
  if (recalled.testRuns > 0) onRecalled?.({ ...recalled, total });
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
    openPorts: () => openOwnPorts({ keys, root }),
    concurrency: concurrencyOf(input),
  });
}

async function askAgents(run: RunState): Promise<RunState> {
  const { suiteRuns, folder, recalled, judge } = run;
  const { rescoring, answers } = run.input;
  const recall = rescoring?.recall;
  const cacheOf = ({ variant, testRuns }: PlannedSuiteRun): AnswerCache | undefined => {
    if (variant === 'baseline' || answers === undefined) return undefined;
    const { cache, takenBy } = answers;
    const isTaken = takenBy === 'all' || (takenBy === 'single' && testRuns.every(({ repetition }) => repetition === 1));
    return isTaken ? cache : { keep: cache.keep, recall: async () => null };
  };
  const executed = await execute(run, { suiteRuns, folder, recalled, recall, cacheOf, isStopped: judge.isStopped });
  return { ...run, ...executed };
}

/** What the base once said is judged by the judge of this run where another one judged it then. */
async function judgeStoredAnswers(run: RunState): Promise<RunState> {
  const { input, judge } = run;
  const { earlier } = input;
  if (earlier === undefined || input.signal.aborted) return run;
  let { spent } = run;
  const further = await judgeAgain({
    earlier,
    heads: judge.judgedOtherwise(allExecuted(run)).filter(({ variant }) => variant === 'head'),
    run: async (stored) => {
      input.onJudgingAgain?.({ suiteRuns: stored, testRuns: stored.flatMap(({ testRuns }) => testRuns).length });
      const executed = await executeApart({ ...run, spent }, stored, judgedAgainFolder);
      spent = executed.spent;
      return executed.rows;
    },
  });
  return { ...run, further, spent };
}

function decideVerdicts(run: RunState): RunState {
  return { ...run, judged: run.judge.judge(allExecuted(run)) };
}

/** All cases of a suspected suite run again on both sides. Who cannot run anything more decides by what there is. */
async function settleSuspicions(run: RunState): Promise<RunState> {
  const { input, judge, spent, judged } = run;
  const suspected = [...judged.values()].filter(({ asks, sides }) => asks.includes('confirm') && sides.beside !== null);
  if (suspected.length === 0) return run;
  if (input.signal.aborted || isOverBudget(spent, budgetOf(input))) {
    return { ...run, judged: judge.judge(allExecuted(run), { canRerun: false }) };
  }
  const confirmed = await confirmSuspicions({
    suspected,
    runSeed: input.runSeed,
    run: async (reruns) => {
      input.onConfirming?.({ suiteRuns: reruns, testRuns: reruns.flatMap(({ testRuns }) => testRuns).length });
      return (await executeApart(run, reruns, confirmationFolder)).rows;
    },
  });
  const settled = { ...run, further: [...run.further, ...confirmed] };
  return { ...settled, judged: judge.judge(allExecuted(settled)) };
}

const allExecuted = ({ suiteRuns, rows, further }: RunState): ExecutedSuiteRun[] => [
  ...executedPlan(suiteRuns, rows),
  ...further,
];

/** One after another: only one report is in memory at a time. */
async function writeReports(run: RunState): Promise<RunState> {
  const { input, suiteRuns, folder, rows, judged } = run;
  const { definitions, version, environment, rescoring } = input;
  const origin = rescoring === undefined ? {} : { rescored_from: rescoring.runId };
  const finished: EndedSuiteRun[] = [];
  for (const [position, planned] of suiteRuns.entries()) {
    finished.push(
      await reportSuiteRun({
        folder,
        position,
        planned,
        verdict: judged.get(position)?.verdict ?? null,
        rows: rows[position] ?? [],
        besideUsd: sumKnown([furtherUsd(run, position), measuringUsd(run, position)]),
        loaded: loadedSuite(definitions, planned),
        baseline: judged.get(position)?.sides.beside ?? null,
        report: { timestamp: new Date().toISOString(), version, environment: { ...environment, ...origin } },
      }),
    );
  }
  return { ...run, finished };
}

/** What measuring its judge cost counts for the first suite run that was judged by it. */
function measuringUsd({ measured, suiteRuns }: RunState, position: number) {
  const path = suiteRuns[position]?.suitePath ?? '';
  const first = suiteRuns.findIndex(({ suitePath, variant }) => suitePath === path && variant !== 'baseline');
  return first === position ? measured.costsUsd.get(path) : null;
}

/** What was run beside the plan for a suite run; null when nothing of it had a known price. */
const furtherUsd = ({ further }: RunState, position: number): number | null =>
  sumKnown(further.flatMap((one) => (one.position === position ? one.rows.map(({ spentUsd }) => spentUsd) : [])));

async function writeRunFile(run: RunState): Promise<RunState> {
  await run.folder.write('run.json', jsonPieces(runFile(run.input, run.finished)));
  return run;
}

type ToExecute = Pick<TestRunsInput, 'suiteRuns' | 'folder' | 'recalled' | 'recall' | 'cacheOf' | 'isStopped'>;

async function execute({ input, cassette, spent }: RunState, toExecute: ToExecute): Promise<ExecutedTestRuns> {
  const { runId, definitions, signal, keys, root, baseFolder, onFinished = () => undefined } = input;
  await using open = openOwnPorts({ keys, root, baseFolder, cassette });
  return await runTestRuns({
    ...toExecute,
    runId,
    definitions,
    signal,
    onFinished,
    spent,
    ports: open.ports,
    concurrency: concurrencyOf(input),
    budget: budgetOf(input),
  });
}

/** In a folder of its own: the results and the reports of the first look stay as they are. */
async function executeApart(
  run: RunState,
  suiteRuns: readonly PlannedSuiteRun[],
  name: string,
): Promise<ExecutedTestRuns> {
  const folder = runFolder(run.folder.path, name);
  const recalled = await recallResults(folder, suiteRuns);
  return await execute(run, { suiteRuns, folder, recalled, isStopped: () => false });
}

const concurrencyOf = ({ concurrency, definitions }: EmbeddedRunInput): number =>
  concurrency ?? definitions.project.limits.concurrency;

const budgetOf = ({ definitions, budgetUsd }: EmbeddedRunInput): Budget => ({
  usd: budgetUsd ?? definitions.project.limits.budget_usd,
  tokens: definitions.project.limits.budget_tokens,
});
