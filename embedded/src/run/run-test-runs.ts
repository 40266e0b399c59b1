import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { TestRunStatus } from '@proofmark/contracts/error-kind';
import type { LoadedDefinitions } from '@proofmark/contracts/loaded';
import type { RecordedConversation } from '@proofmark/contracts/recorded-conversation';
import type { TestCase } from '@proofmark/contracts/test-case';
import { failureReasons } from '@proofmark/domain/failure-reasons';
import { skipWords } from '@proofmark/domain/incomplete-report';
import type { PlannedSuiteRun, PlannedTestRun } from '@proofmark/domain/plan-run';
import { knownCostUsd, totalCostUsd } from '@proofmark/domain/totals';
import { CasePlace } from '@proofmark/runner-agent/case-place';
import type { CasePorts } from '@proofmark/runner-agent/run-case';
import {
  type Budget,
  isOverBudget,
  noSpending,
  openSlots,
  ownRun,
  runInSlots,
  type Spending,
  sumOf,
} from '../limits.ts';
import { type LinePlace, openResultLog, type ResultLog } from '../results/result-files.ts';
import { lineWriter, type ResultLine } from '../results/result-line.ts';
import type { RunFolder } from '../results/run-folder.ts';
import { measuredOf, type TestRunRow, tokensOf } from '../results/test-run-row.ts';
import type { RecalledResults } from '../resume/recall-results.ts';
import type { AnswerCache } from './answer-cache.ts';
import { executeTestRun, type TestRunEnd } from './execute-test-run.ts';
import { type CellQuestion, type OrderedTestRun, orderTestRuns, watchRounds } from './watch-rounds.ts';

/** Told after each test run, when its result is on disk. */
export interface TestRunFinished {
  suiteName: string;
  cellKey: string;
  variant: PlannedSuiteRun['variant'];
  caseName: string;
  repetition: number;
  status: TestRunStatus;
  /** Why it did not pass or was not run; empty when it passed. */
  reasons: string[];
  /** Metrics that gave no measure and did not decide the result. */
  unmeasured: string[];
  executionTimeMs: number;
  /** Of the agent, its judges and its simulated user, as far as prices are known. */
  costUsd: number;
  /** Nobody was asked: the answer was known. */
  isRecalled: boolean;
  done: number;
  total: number;
}

export interface TestRunsInput {
  runId: string;
  definitions: LoadedDefinitions;
  suiteRuns: readonly PlannedSuiteRun[];
  folder: RunFolder;
  ports: CasePorts;
  concurrency: number;
  budget: Budget;
  /** What was used before; absent: nothing. */
  spent?: Spending | undefined;
  /** Results of an earlier process of this run: their test runs are not run again. */
  recalled: RecalledResults;
  /** What was said already, for test runs that are only judged; absent: the agent is asked. */
  recall?: ((testRun: PlannedTestRun) => Promise<RecordedConversation>) | undefined;
  /** Answers that are known, for the suite runs that may take them; absent: everything is asked. */
  cacheOf?: ((planned: PlannedSuiteRun) => AnswerCache | undefined) | undefined;
  /** Asked after each complete round of a cell whether the rest of it is not needed. */
  isStopped: CellQuestion;
  onFinished: (event: TestRunFinished) => void;
  signal: AbortSignal;
}

export interface ExecutedTestRuns {
  /** What each suite run came to, in the order of the plan. */
  rows: TestRunRow[][];
  /** All that was used so far, before included. */
  spent: Spending;
}

/** Runs everything of the plan that has no result yet, at most `concurrency` at once. */
export async function runTestRuns(input: TestRunsInput): Promise<ExecutedTestRuns> {
  const { suiteRuns, ports, signal, onFinished, recalled } = input;
  const slots = openSlots(input.concurrency);
  const rows: TestRunRow[][] = suiteRuns.map(() => []);
  const ordered = orderTestRuns(suiteRuns);
  const rounds = watchRounds({ suiteRuns, rows, ordered, decide: input.isStopped });
  const ended = (suiteRun: number, row: TestRunRow): void => {
    rows[suiteRun]?.push(row);
    // A round that was cut short is not complete: what is missing may still be run some day.
    if (row.skipReason !== 'interrupted' && row.skipReason !== 'budget') rounds.ended(suiteRun, row.testRun);
  };
  const caches = suiteRuns.map((planned) => input.cacheOf?.(planned));
  const spent = sumOf(input.spent ?? noSpending, recalled.spent);
  const open = recall(ordered, recalled, ended);
  let done = ordered.length - open.length;
  await using logs = openLogs(input);
  await runInSlots(open, slots, async ({ suiteRun, testRun: asPlanned }, slot) => {
    using place = new CasePlace(slot, (waits) => slots.room.tell(ownRun, waits));
    const planned = suiteRuns[suiteRun];
    if (planned === undefined) return;
    const cache = caches[suiteRun];
    const testRun = await withRecording(asPlanned, input.recall, cache);
    const testCase = testRun.work?.case ?? caseOf(input.definitions, planned, testRun.sortOrder);
    const isBudgetSpent = isOverBudget(spent, input.budget);
    const end: TestRunEnd =
      notStarted(signal, isBudgetSpent, rounds.isStopped(suiteRun)) ??
      (await executeTestRun(testRun, testCase, { ports: { ...ports, place }, signal }));
    if (end.ran) await keepAnswer(cache, testRun, { runId: input.runId, outcome: end.outcome });
    const kept = end.ran
      ? await logs.keep(suiteRun, resultLine(input.runId, planned, { testRun, testCase, end }))
      : null;
    spent.usd += end.ran ? knownCostUsd(end.outcome) : 0;
    spent.tokens += end.ran ? tokensOf(end.outcome) : 0;
    // What was said is on disk by now, and stays out of memory.
    ended(suiteRun, rowOf(asPlanned, end, kept));
    done += 1;
    onFinished({ ...told(planned, testRun, end), done, total: ordered.length });
  });
  return { rows, spent };
}

/**
 * Ends the test runs that have a result, in the order in which they were started, so that rounds are complete when they
 * were; what is left is returned. Test runs that are never run end along with them.
 */
function recall(
  ordered: readonly OrderedTestRun[],
  recalled: RecalledResults,
  ended: (suiteRun: number, row: TestRunRow) => void,
): readonly OrderedTestRun[] {
  if (recalled.testRuns === 0) return ordered;
  return ordered.filter(({ suiteRun, testRun }) => {
    const { decided } = testRun;
    const row =
      decided?.status === 'skipped'
        ? rowOf(testRun, { ran: false, reason: decided.reason }, null)
        : recalled.rowOf(suiteRun, testRun);
    if (row !== undefined) ended(suiteRun, row);
    return row === undefined;
  });
}

async function withRecording(
  testRun: PlannedTestRun,
  recall: TestRunsInput['recall'],
  cache: AnswerCache | undefined,
): Promise<PlannedTestRun> {
  const { work } = testRun;
  if (work === null) return testRun;
  const recorded = recall === undefined ? ((await cache?.recall(work)) ?? null) : await recall(testRun);
  return recorded === null ? testRun : { ...testRun, work: { ...work, recorded } };
}

async function keepAnswer(
  cache: AnswerCache | undefined,
  { work, caseName }: PlannedTestRun,
  { runId, outcome }: { runId: string; outcome: CaseOutcome },
): Promise<void> {
  if (work !== null && work.recorded === undefined) await cache?.keep(work, outcome, `${runId}/${caseName}`);
}

function notStarted(signal: AbortSignal, isBudgetSpent: boolean, isStopped: boolean): TestRunEnd | undefined {
  if (signal.aborted) return { ran: false, reason: 'interrupted' };
  if (isStopped) return { ran: false, reason: 'early_stop' };
  return isBudgetSpent ? { ran: false, reason: 'budget' } : undefined;
}

function caseOf({ suites }: LoadedDefinitions, { suitePath }: PlannedSuiteRun, sortOrder: number): TestCase {
  const testCase = suites.find((loaded) => loaded.path === suitePath)?.suite.cases[sortOrder];
  if (testCase === undefined) throw new Error(`The plan has a case that ${suitePath} does not have`);
  return testCase;
}

interface OpenLog {
  log: ResultLog;
  write: ReturnType<typeof lineWriter>;
}

const openLog = async (path: string, parts: number): Promise<OpenLog> => ({
  log: await openResultLog(path),
  write: lineWriter(parts),
});

/** The results file of each suite run, opened when its first test run ends. */
function openLogs({ suiteRuns, folder, recalled }: Pick<TestRunsInput, 'suiteRuns' | 'folder' | 'recalled'>) {
  const logs = new Map<number, Promise<OpenLog>>();
  const logOf = (suiteRun: number): Promise<OpenLog> => {
    const planned = suiteRuns[suiteRun];
    if (planned === undefined) throw new Error(`The plan has no suite run ${suiteRun}`);
    const open = logs.get(suiteRun) ?? openLog(folder.resultsPath(planned, suiteRun), recalled.partsOf(suiteRun));
    logs.set(suiteRun, open);
    return open;
  };
  return {
    keep: async (suiteRun: number, result: ResultLine): Promise<LinePlace> => {
      const { log, write } = await logOf(suiteRun);
      const { parts, line } = write(result);
      return await log.append(line, parts);
    },
    async [Symbol.asyncDispose]() {
      for (const open of logs.values()) await (await open).log[Symbol.asyncDispose]();
    },
  };
}

interface ExecutedTestRun {
  testRun: OrderedTestRun['testRun'];
  testCase: TestCase;
  end: Extract<TestRunEnd, { ran: true }>;
}

const resultLine = (
  runId: string,
  planned: PlannedSuiteRun,
  { testRun, testCase, end }: ExecutedTestRun,
): ResultLine => ({
  run_id: runId,
  suite: planned.suiteName,
  suite_path: planned.suitePath,
  cell: planned.cellKey,
  variant: planned.variant,
  case_name: testRun.caseName,
  sort_order: testRun.sortOrder,
  repetition: testRun.repetition,
  case_hash: testRun.caseHash,
  instrument_hash: testRun.instrumentHash,
  agent_hash: planned.agentHash,
  setting_key: planned.settingKey,
  work: testRun.work,
  case: testRun.work === null ? testCase : null,
  outcome: end.outcome,
});

const rowOf = (testRun: OrderedTestRun['testRun'], end: TestRunEnd, place: LinePlace | null): TestRunRow =>
  end.ran
    ? {
        testRun,
        status: end.outcome.status,
        errorKind: end.outcome.errorKind,
        skipReason: null,
        place,
        measured: measuredOf(end.outcome),
        spentUsd: totalCostUsd(end.outcome),
      }
    : { testRun, status: 'skipped', errorKind: null, skipReason: end.reason, place, measured: null, spentUsd: null };

const told = (
  { suiteName, cellKey, variant }: PlannedSuiteRun,
  testRun: OrderedTestRun['testRun'],
  end: TestRunEnd,
): Omit<TestRunFinished, 'done' | 'total'> => ({
  suiteName,
  cellKey,
  variant,
  caseName: testRun.caseName,
  repetition: testRun.repetition,
  status: end.ran ? end.outcome.status : 'skipped',
  isRecalled: end.ran && testRun.work?.recorded !== undefined,
  reasons: end.ran ? failureReasons(end.outcome) : [skipWords(end)],
  unmeasured: end.ran ? end.outcome.metrics.flatMap((one) => (one.error === null ? [] : [one.metric_name])) : [],
  executionTimeMs: end.ran ? end.outcome.executionTimeMs : 0,
  costUsd: end.ran ? knownCostUsd(end.outcome) : 0,
});
