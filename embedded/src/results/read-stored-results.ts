import { createReadStream, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import type { CassetteEntry } from '@proofmark/contracts/cassette';
import { contentHash } from '@proofmark/contracts/content-hash';
import { MeasuredJudge } from '@proofmark/contracts/judge-measurement';
import type { TestReport, TestResult } from '@proofmark/contracts/test-report';
import { VerdictSettings } from '@proofmark/contracts/verdict';
import { comparabilityKey, withParts } from '@proofmark/domain/comparability-key';
import type { AnsweredTrial } from '@proofmark/domain/compare-answers';
import type { Trial } from '@proofmark/domain/decide-verdict';
import { parseReports } from '@proofmark/domain/parse-report';
import { placeOf } from '@proofmark/domain/test-report';
import { metricsOf } from '@proofmark/domain/unmeasured-metrics';
import { linesOf } from '@proofmark/process/lines-of';
import { recordedSteps } from '@proofmark/runner-agent/geval-evaluator';
import { z } from 'zod';
import { readRunFile } from './read-beside.ts';
import { lineReader, type ResultLine } from './result-line.ts';
import { furtherFolders } from './run-folder.ts';
import { measuredOf } from './test-run-row.ts';

type StoredResults = { ok: true; suiteRuns: StoredSuiteRun[] } | { ok: false; message: string };

/**
 * The suite runs of a run's folder or results file, with the hashes by which they may be compared; with a repetition only
 * what is of that one.
 */
export async function readStoredResults(path: string, repetition: number | null = null): Promise<StoredResults> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return { ok: false, message: `${path}: there is no such file or folder` };
  const files = await findResults(path, stats.isDirectory());
  const suiteRuns = await readResultFiles(files, repetition);
  return suiteRuns.length === 0
    ? { ok: false, message: `${path}: no results${ofRepetition(repetition)} of a run (results.jsonl) are in it` }
    : { ok: true, suiteRuns };
}

const ofRepetition = (repetition: number | null): string => (repetition === null ? '' : ` of repetition ${repetition}`);

/** Results by where they stand, all or those of one repetition. */
export interface PlacedResults {
  path: string;
  repetition: number | null;
}

export type ResultPairs =
  | {
      ok: true;
      base: StoredSuiteRun[];
      head: StoredSuiteRun[];
    }
  | { ok: false; message: string };

/** Both sides in the form that both have: results where there are some, else reports, which know less. */
export async function readBothSides(ofBase: PlacedResults, ofHead: PlacedResults): Promise<ResultPairs> {
  const [base, head] = [
    await readStoredResults(ofBase.path, ofBase.repetition),
    await readStoredResults(ofHead.path, ofHead.repetition),
  ];
  if (base.ok && head.ok) return { ok: true, base: base.suiteRuns, head: head.suiteRuns };
  for (const [side, { repetition }] of [
    [base, ofBase],
    [head, ofHead],
  ] as const) {
    // A report does not say which of its results are of which repetition.
    if (!side.ok && repetition !== null) return side;
  }
  const [baseReports, headReports] = [await readAsReports(ofBase.path), await readAsReports(ofHead.path)];
  if (!baseReports.ok) return baseReports;
  if (!headReports.ok) return headReports;
  return { ok: true, base: baseReports.suiteRuns, head: headReports.suiteRuns };
}

async function readAsReports(path: string): Promise<StoredResults> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return { ok: false, message: `${path}: there is no such file or folder` };
  const read = await readReportFiles(path, stats.isDirectory());
  if (read.ok && read.suiteRuns.length === 0)
    return { ok: false, message: `${path}: no results and no report are in it` };
  return read;
}

/** One suite run as it was kept: what a comparison needs of it. */
export interface StoredSuiteRun {
  /** What it is called, for people and to find its partner. */
  suiteName: string;
  cellKey: string;
  trials: Trial[];
  /** By the name of the case. */
  answers: Map<string, AnsweredTrial[]>;
  /** What simulated tools answered, by the key of the call, and steps that were written for metrics. */
  heard: Map<string, CassetteEntry>;
  /** The gate that it was judged by; null when that was not kept. */
  settings: VerdictSettings | null;
  /** What labelled answers said about its judge; null when there were none, or when that was not kept. */
  judge: MeasuredJudge | null;
  /** Where everything of it stands; null when there is only a report. */
  resultsPath: string | null;
}

/** As much of an answer as a comparison shows. */
const answerCharacters = 2_000;

function keepAnswer(suiteRun: StoredSuiteRun, caseName: string, { answer, ...trial }: AnsweredTrial): void {
  const known = suiteRun.answers.get(caseName) ?? [];
  known.push({ ...trial, answer: answer?.slice(0, answerCharacters) ?? null });
  suiteRun.answers.set(caseName, known);
}

const resultsName = 'results.jsonl';

/** The results files of a run's folder, or the one that is named or lies in the folder of a suite run. */
async function findResults(path: string, isFolder: boolean): Promise<string[]> {
  if (!isFolder) return basename(path) === resultsName ? [path] : [];
  const entries = await readdir(path, { recursive: true });
  return (
    entries
      // What settled a suspicion or judged others again is not what the run itself came to.
      .filter((entry) => basename(entry) === resultsName && !furtherFolders.includes(entry.split(sep)[0] ?? ''))
      .toSorted()
      .map((entry) => join(path, entry))
  );
}

/** Suite runs from results files, the sides that were judged; baselines that ran beside them are left out. */
async function readResultFiles(paths: readonly string[], repetition: number | null): Promise<StoredSuiteRun[]> {
  const found: StoredSuiteRun[] = [];
  for (const path of paths) {
    const suiteRun = await readResultFile(path, repetition);
    if (suiteRun !== null) found.push(suiteRun);
  }
  return found;
}

async function readResultFile(path: string, repetition: number | null): Promise<StoredSuiteRun | null> {
  const read = lineReader();
  let suiteRun: StoredSuiteRun | null = null;
  // A line at a time: a results file may be larger than memory.
  for await (const text of linesOf(createReadStream(path, 'utf8'))) {
    if (text === '') continue;
    const line = read(text);
    if (line.kind !== 'result') continue;
    if (line.result.variant === 'baseline') return null;
    if (repetition !== null && line.result.repetition !== repetition) continue;
    suiteRun ??= await openSuiteRun(path, line.result);
    addLine(suiteRun, line.result);
  }
  return suiteRun;
}

async function openSuiteRun(path: string, { suite, cell, variant }: ResultLine): Promise<StoredSuiteRun> {
  const { verdict } = await readRunFile(join(dirname(dirname(path)), 'run.json'), { suite, cell, variant });
  const { settings = null, judge = null } = JudgedBy.safeParse(verdict).data ?? {};
  const nothing = { trials: [], answers: new Map(), heard: new Map() };
  return { suiteName: suite, cellKey: cell, ...nothing, settings, judge, resultsPath: path };
}

function addLine(suiteRun: StoredSuiteRun, line: ResultLine): void {
  const { case_name: caseName, repetition, outcome } = line;
  suiteRun.trials.push({
    caseName,
    comparabilityKey: comparabilityKey(line.case_hash, line.instrument_hash, line.setting_key),
    status: outcome.status,
    errorKind: outcome.errorKind,
    repetition,
    ...measuredOf(outcome),
  });
  const written = line.work === null ? [] : recordedSteps(line.work, outcome);
  for (const entry of [...(outcome.mocks?.recorded ?? []), ...written]) suiteRun.heard.set(entry.key, entry);
  const tools = outcome.toolCalls.map(({ name }) => name);
  keepAnswer(suiteRun, caseName, { repetition, passed: outcome.status === 'passed', answer: outcome.response, tools });
}

/** The gate of a stored run; a verdict of an older version may lack what newer ones have. */
const JudgedBy = z.looseObject({ settings: VerdictSettings, judge: MeasuredJudge.nullish() });

type ReadReportFiles = { ok: true; suiteRuns: StoredSuiteRun[] } | { ok: false; message: string };

/**
 * Suite runs from report files. A report holds no hashes, so two tests may be compared when all that it says about the
 * question and the measurement is equal: input, truth, tools, metrics and their thresholds.
 */
async function readReportFiles(path: string, isFolder: boolean): Promise<ReadReportFiles> {
  const files = isFolder ? await reportsBelow(path) : [path];
  const suiteRuns: StoredSuiteRun[] = [];
  for (const file of files) {
    const parsed = parseReports(await readFile(file, 'utf8'));
    if (!parsed.ok) {
      const [first] = parsed.problems;
      return { ok: false, message: `${file} is no report: ${first?.path ?? ''} ${first?.message ?? ''}`.trim() };
    }
    suiteRuns.push(...parsed.reports.map(fromReport));
  }
  return { ok: true, suiteRuns };
}

async function reportsBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  return entries
    .filter((entry) => basename(entry) === 'report.json' && !/-baseline[\\/]report\.json$/.test(entry))
    .toSorted()
    .map((entry) => join(folder, entry));
}

function fromReport(report: TestReport): StoredSuiteRun {
  const { suite, cell } = placeOf(report);
  const suiteRun: StoredSuiteRun = {
    suiteName: suite,
    cellKey: cell,
    trials: [],
    answers: new Map(),
    heard: new Map(),
    settings: null,
    judge: null,
    resultsPath: null,
  };
  const seen = new Map<string, number>();
  for (const result of report.results) {
    const caseName = result.test_name ?? result.test_input;
    const repetition = (seen.get(caseName) ?? 0) + 1;
    seen.set(caseName, repetition);
    addResult(suiteRun, result, { caseName, repetition });
  }
  return suiteRun;
}

function addResult(
  suiteRun: StoredSuiteRun,
  result: TestResult,
  { caseName, repetition }: { caseName: string; repetition: number },
): void {
  const { passed, errors, agent_response: answer, execution_time_ms: latencyMs } = result;
  const isError = !passed && errors.length > 0;
  suiteRun.trials.push({
    caseName,
    comparabilityKey: keyOf(result),
    status: isError ? 'error' : passed ? 'passed' : 'failed',
    // A report does not say whose side broke: without an answer it was the agent's.
    errorKind: isError ? (answer === null ? 'agent' : 'judge') : null,
    errorMessage: errors[0] ?? null,
    repetition,
    latencyMs,
    metrics: metricsOf(result),
  });
  keepAnswer(suiteRun, caseName, { repetition, passed, answer, tools: result.tool_calls });
}

function keyOf({ test_input, ground_truth, expected_tools, metric_results, errors }: TestResult): string {
  // A test that ended in an error may lack the metrics that it would have had.
  const metrics =
    errors.length > 0 ? null : metric_results.map(({ metric_name, threshold }) => [metric_name, threshold]);
  const task = JSON.stringify([test_input, ground_truth, expected_tools]);
  return comparabilityKey(task, withParts('report', { metrics: contentHash(metrics) }), '');
}
