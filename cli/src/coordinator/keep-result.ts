import type { CoordinatorClient } from '@proofmark/client/coordinator-client';
import type { RunResult } from '@proofmark/client/run';
import { type ClientError, refused, type Sent } from '@proofmark/client/send-operation';
import type { EndedTestRun, EndedTestRuns, SuiteRunResult } from '@proofmark/client/suite-run';
import type { LoadedSuite } from '@proofmark/contracts/loaded';
import { TestReport } from '@proofmark/contracts/test-report';
import { renderJson } from '@proofmark/domain/screen-safe-json';
import { groupResults } from '@proofmark/domain/summarize';
import type { EndedSuiteRun } from '@proofmark/embedded/finished-suite-run';
import { ResultLine } from '@proofmark/embedded/result-line';
import { suiteRunEntries } from '@proofmark/embedded/run-file';
import { type RunFolder, runFolder, writeResults } from '@proofmark/embedded/run-folder';
import { plain } from '../output/terminal.ts';
import { errorWords } from './open-coordinator.ts';

type SuiteRunAnswer = RunResult['suiteRuns'][number];

export interface KeptResult {
  folder: string;
  suiteRuns: EndedSuiteRun[];
  /** What did not pass, for people: a case with its first reason and how to repeat it. */
  failed: { place: string; summary: string; testRunId: string }[];
  /** Suite runs that ended without a verdict, each as a line for people. */
  unjudged: string[];
  /** What could not be had of a suite run, its report or its single results, each as a line for people. */
  incomplete: string[];
}

interface Question {
  client: Pick<CoordinatorClient, 'runResult' | 'suiteRunResult' | 'suiteRunTestRuns'>;
  version: string;
  runId: string;
  /** Where the coordinator shows it. */
  runUrl: string;
  suites: readonly LoadedSuite[];
  resultsDirectory: string;
}

/** Fetches what an ended run came to and keeps its reports in a folder, like those of a run in this process. */
export async function keepResult({
  client,
  runId,
  runUrl,
  suites,
  resultsDirectory,
  version,
}: Question): Promise<Sent<KeptResult | null>> {
  const run = await client.runResult(runId);
  if (!run.ok) return run;
  if (run.answer === null) return { ok: true, answer: null };
  const folder = runFolder(resultsDirectory, runId);
  // Confirmations and the like are part of the verdict of the suite run that they belong to.
  const asked = run.answer.suiteRuns.filter(({ purpose }) => purpose === 'first');
  const suiteRuns: EndedSuiteRun[] = [];
  const failed: KeptResult['failed'] = [];
  const incomplete: string[] = [];
  for (const [position, suiteRun] of asked.entries()) {
    const result = await readResult(client, suiteRun);
    if (!result.ok) return result;
    const { failures, unread } = result.answer;
    if (unread !== null) incomplete.push(`No report is kept of ${nameOf(suiteRun)}: ${unread}`);
    const loaded = suites.find(({ suite }) => suite.name === suiteRun.suiteName);
    failed.push(...failures.map((failure) => ({ ...failure, place: placeOf(suiteRun, failure) })));
    suiteRuns.push(await finish(suiteRun, { ...result.answer, loaded, folder, position }));
    const path = folder.resultsPath(suiteRun, position);
    const kept = await keepTestRuns({ client, runId, suiteRun, loaded, path });
    if (!kept.ok) incomplete.push(`No results are kept of ${nameOf(suiteRun)}: ${errorWords(kept.error)}`);
  }
  const { status } = run.answer;
  const file = { run_id: runId, run_url: runUrl, status, is_interrupted: status === 'cancelled' };
  const entries = { proofmark_version: version, ...file, suite_runs: suiteRunEntries(suiteRuns) };
  await folder.write('run.json', `${JSON.stringify(entries, null, 2)}\n`);
  const unjudged = asked.flatMap(whyUnjudged);
  return { ok: true, answer: { folder: folder.path, suiteRuns, failed, unjudged, incomplete } };
}

interface Found {
  failures: SuiteRunResult['failures'];
  costUsd: number | null;
  report: TestReport | null;
  /** Why there is a report and it cannot be read. */
  unread: string | null;
  loaded: LoadedSuite | undefined;
  folder: RunFolder;
  position: number;
}

/** A report that is too long to be read costs neither the verdict nor the rest. */
async function readResult(
  client: Pick<CoordinatorClient, 'suiteRunResult'>,
  { id, suiteName }: SuiteRunAnswer,
): Promise<Sent<Pick<Found, 'failures' | 'costUsd' | 'report' | 'unread'>>> {
  const result = await client.suiteRunResult(id);
  const nothing = { failures: [], costUsd: null, report: null, unread: null };
  if (!result.ok && result.error.code === 'QUERY_TOO_COMPLEX')
    return { ok: true, answer: { ...nothing, unread: errorWords(result.error) } };
  if (!result.ok || result.answer === null) return result.ok ? { ok: true, answer: nothing } : result;
  const read = TestReport.nullish().safeParse(result.answer.report);
  if (!read.success) return refused('UNEXPECTED_ANSWER', `The report of ${suiteName} has another form.`);
  return { ok: true, answer: { ...result.answer, report: read.data ?? null, unread: null } };
}

async function finish(answer: SuiteRunAnswer, found: Found): Promise<EndedSuiteRun> {
  const { suiteName, agentName, cellKey, variant, verdict } = answer;
  const { costUsd, report, loaded } = found;
  const skipped = report?.skipped ?? [];
  return {
    suiteName,
    agentName,
    cellKey,
    variant,
    verdict,
    suitePath: answer.suitePath ?? '',
    totals: {
      passed: answer.passedCases,
      failed: answer.failedCases - answer.erroredCases,
      errored: answer.erroredCases,
      skipped: answer.skippedCases,
    },
    skipReasons: [...new Set(skipped.map(({ reason }) => reason))],
    report: await writeReport(answer, found),
    groups: groupsOf(report, loaded),
    cases: variant === 'baseline' ? [] : casesOf(found),
    costUsd,
  };
}

async function writeReport(
  answer: SuiteRunAnswer,
  { failures, report, unread, folder, position }: Found,
): Promise<EndedSuiteRun['report']> {
  if (report === null) {
    const reason = unread ?? answer.failureReason ?? 'No case was executed, so there is nothing to report';
    return { ok: false, reason };
  }
  const path = await folder.keepReport(answer, position, renderJson(report));
  const reasons = failures.map(({ result: at, reasons: all }) => ({ result: at, reasons: all }));
  await folder.keepReasons(answer, position, renderJson(reasons));
  return { ok: true, path, summary: report.summary };
}

function groupsOf(report: TestReport | null, loaded: LoadedSuite | undefined): EndedSuiteRun['groups'] {
  const cases = new Map(loaded?.suite.cases.map((one) => [one.name, one]));
  return groupResults(
    (report?.results ?? []).flatMap(({ test_name, passed }) => {
      const found = cases.get(test_name ?? '');
      return found === undefined ? [] : [{ case: found, outcome: { status: passed ? 'passed' : 'failed' } as const }];
    }),
  );
}

/** The cases that did not pass, with the first reason of each and what was said then. */
function casesOf({ failures, report, loaded }: Found): EndedSuiteRun['cases'] {
  const first = new Map(failures.toReversed().map((failure) => [failure.caseName, failure]));
  return [...new Set(failures.map(({ caseName }) => caseName))].map((caseName) => {
    const failure = first.get(caseName);
    return {
      caseName,
      line: loaded?.casePositions.get(caseName)?.line ?? null,
      firstFailure: failure?.summary ?? null,
      headAnswer: failure === undefined ? null : (report?.results[failure.result]?.agent_response ?? null),
      baseAnswer: null,
    };
  });
}

function nameOf({ suiteName, cellKey, variant }: SuiteRunAnswer): string {
  const cell = cellKey === '' ? '' : ` [${plain(cellKey)}]`;
  return `${plain(suiteName)}${cell}${variant === 'head' ? '' : ` (${variant})`}`;
}

function placeOf(suiteRun: SuiteRunAnswer, { caseName, repetition }: SuiteRunResult['failures'][number]): string {
  return `${nameOf(suiteRun)} › ${plain(caseName)}${repetition === 1 ? '' : ` #${repetition}`}`;
}

function whyUnjudged({ suiteName, cellKey, variant, verdict, status, failureReason }: SuiteRunAnswer): string[] {
  if (variant === 'baseline' || verdict !== null) return [];
  const cell = cellKey === '' ? '' : ` [${plain(cellKey)}]`;
  return [`${plain(suiteName)}${cell}: ${status}${failureReason === null ? '' : `, ${plain(failureReason)}`}`];
}

interface TestRunsToKeep {
  client: Pick<CoordinatorClient, 'suiteRunTestRuns'>;
  runId: string;
  suiteRun: { id: string; suiteName: string; suitePath: string | null; cellKey: string; variant: string };
  loaded: LoadedSuite | undefined;
  /** The results file to write. */
  path: string;
}

/** A page could not be had; the file is not written then. */
export class PageRefused extends Error {
  readonly refusal: ClientError;

  constructor(refusal: ClientError) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/**
 * Writes every executed test run of a suite run of the coordinator to a results file like that of a run in this process:
 * what it was given and what came of it. How many they are.
 */
async function keepTestRuns(question: TestRunsToKeep): Promise<Sent<number>> {
  try {
    return { ok: true, answer: await writeResults(question.path, resultLines(question)) };
  } catch (error) {
    if (!(error instanceof PageRefused)) throw error;
    return { ok: false, error: error.refusal };
  }
}

async function* resultLines(question: TestRunsToKeep): AsyncGenerator<ResultLine> {
  for await (const page of pagesOf(question.client, question.suiteRun.id)) {
    for (const testRun of page.testRuns) {
      const line = lineOf(testRun, page, question);
      if (line !== undefined) yield line;
    }
  }
}

/** The test runs of a suite run page by page; throws `PageRefused`. */
export async function* pagesOf(
  client: Pick<CoordinatorClient, 'suiteRunTestRuns'>,
  suiteRunId: string,
): AsyncGenerator<EndedTestRuns> {
  let after: string | null = null;
  do {
    const sent: Sent<EndedTestRuns | null> = await client.suiteRunTestRuns(suiteRunId, after);
    if (!sent.ok) throw new PageRefused(sent.error);
    if (sent.answer === null) return;
    yield sent.answer;
    after = sent.answer.next;
  } while (after !== null);
}

/** Undefined for what was never executed, and for what is no longer kept. */
function lineOf(
  { caseName, caseHash, instrumentHash, sortOrder, repetition, skipReason, work, outcome }: EndedTestRun,
  { agentHash, settingKey }: EndedTestRuns,
  { runId, suiteRun, loaded }: TestRunsToKeep,
): ResultLine | undefined {
  if (skipReason !== null) return undefined;
  const testCase = loaded?.suite.cases.find(({ name }) => name === caseName);
  const line = {
    run_id: runId,
    suite: suiteRun.suiteName,
    suite_path: suiteRun.suitePath ?? '',
    cell: suiteRun.cellKey,
    variant: suiteRun.variant,
    case_name: caseName,
    sort_order: sortOrder,
    repetition,
    outcome,
    case_hash: caseHash,
    instrument_hash: instrumentHash,
    agent_hash: agentHash,
    setting_key: settingKey,
    work: work ?? null,
    case: work == null ? (testCase ?? null) : null,
  };
  const isWhole = work != null || testCase !== undefined;
  return isWhole ? ResultLine.safeParse(line).data : undefined;
}
