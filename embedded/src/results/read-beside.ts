import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Verdict } from '@proofmark/contracts/verdict';
import { failureReasons } from '@proofmark/domain/failure-reasons';
import type { KeptTestRun, ReportWithFacts, TestRunFacts } from '@proofmark/domain/report-with-facts';
import { totalCostUsd } from '@proofmark/domain/totals';
import { linesOf } from '@proofmark/process/lines-of';
import { z } from 'zod';
import { lineReader, type ReadLine, type ResultLine } from './result-line.ts';
import { tokensOf } from './test-run-row.ts';

/** What lies beside a report and no report may hold. Maps are by the position of a result in the report. */
type Beside = Pick<ReportWithFacts, 'reasons' | 'facts' | 'kept' | 'verdict' | 'costUsd'>;

interface BesideOptions {
  /** Of so many characters of results everything is kept, first of those that did not pass. */
  keptUnits: number;
}

/** Every line of a results file, as it was written; a last line that a killed process left half is none. */
export async function* readLines(path: string): AsyncGenerator<string> {
  for await (const line of linesOf(createReadStream(path, 'utf8')))
    if (line.startsWith('{') && line.endsWith('}')) yield line;
}

/**
 * What is known of the test runs of a report from the results that lie beside it. Undefined when there are none, or when
 * they are not those of this report.
 */
export async function readBeside(
  reportPath: string,
  results: number,
  { keptUnits }: BesideOptions = { keptUnits: 0 },
): Promise<Beside | undefined> {
  const path = join(dirname(reportPath), 'results.jsonl');
  if (!existsSync(path)) return await readKeptReasons(join(dirname(reportPath), 'reasons.json'));
  const rows = await readRows(path);
  const [first] = rows;
  if (rows.length !== results || first === undefined) return undefined;
  rows.sort((a, b) => a.sortOrder - b.sortOrder || a.facts.repetition - b.facts.repetition);
  const entries = rows.map((row, position) => [position, row] as const);
  // The verdict of both sides stands with the candidate.
  const runPath = join(dirname(dirname(reportPath)), 'run.json');
  const { verdict, costUsd } = await readRunFile(runPath, first);
  return {
    reasons: new Map(
      entries.map(([position, { reasons }]) => [position, reasons] as const).filter(([, told]) => told.length > 0),
    ),
    facts: new Map(entries.map(([position, { facts }]) => [position, facts])),
    kept: keptUnits === 0 ? new Map() : await readKept(path, chooseKept(rows, keptUnits)),
    verdict: first.variant === 'baseline' ? null : (Verdict.safeParse(verdict).data ?? null),
    costUsd,
  };
}

/** One line of a results file, without what may be long. */
interface Row {
  lineNumber: number;
  units: number;
  sortOrder: number;
  isPassed: boolean;
  suite: string;
  cell: string;
  variant: string;
  reasons: string[];
  facts: TestRunFacts;
}

async function readRows(path: string): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const { read, lineNumber, units } of readParsed(path)) {
    if (read.kind === 'foreign') return [];
    if (read.kind === 'result') rows.push(rowOf(read.result, lineNumber, units));
  }
  return rows;
}

async function* readParsed(path: string): AsyncGenerator<{ read: ReadLine; lineNumber: number; units: number }> {
  const read = lineReader();
  let lineNumber = 0;
  for await (const text of readLines(path)) {
    yield { read: read(text), lineNumber, units: text.length };
    lineNumber += 1;
  }
}

function rowOf(
  { sort_order, repetition, outcome, suite, cell, variant }: ResultLine,
  lineNumber: number,
  units: number,
): Row {
  const { latencyMs, usage, status } = outcome;
  const tokens = usage === null ? null : tokensOf(outcome);
  return {
    lineNumber,
    units,
    suite,
    cell,
    variant,
    sortOrder: sort_order,
    isPassed: status === 'passed',
    reasons: failureReasons(outcome),
    facts: { repetition, latencyMs, tokens, costUsd: totalCostUsd(outcome) },
  };
}

/** The position of each line that is kept whole: those that did not pass first, in the order of the suite. */
function chooseKept(rows: readonly Row[], keptUnits: number): Map<number, number> {
  const entries = rows.map((row, position) => ({ row, position }));
  const urgent = [...entries.filter(({ row }) => !row.isPassed), ...entries.filter(({ row }) => row.isPassed)];
  const chosen = new Map<number, number>();
  let units = 0;
  for (const { row, position } of urgent) {
    units += row.units;
    if (units > keptUnits && chosen.size > 0) break;
    chosen.set(row.lineNumber, position);
  }
  return chosen;
}

async function readKept(path: string, chosen: ReadonlyMap<number, number>): Promise<Map<number, KeptTestRun>> {
  const kept = new Map<number, KeptTestRun>();
  for await (const { read, lineNumber } of readParsed(path)) {
    const position = chosen.get(lineNumber);
    if (position === undefined || read.kind !== 'result') continue;
    const { outcome, work } = read.result;
    kept.set(position, { outcome, variables: work?.resolvedVariables ?? null });
  }
  return kept;
}

const KeptReasons = z.array(z.looseObject({ result: z.int().min(0), reasons: z.array(z.string()) }));

/** Reasons that came with a report from elsewhere. */
async function readKeptReasons(path: string): Promise<Beside | undefined> {
  if (!existsSync(path)) return undefined;
  const read = KeptReasons.safeParse(JSON.parse(await readFile(path, 'utf8')));
  return read.success ? { reasons: new Map(read.data.map(({ result, reasons }) => [result, reasons])) } : undefined;
}

const Entry = z.looseObject({
  suite: z.string(),
  cell: z.string(),
  variant: z.string().default('head'),
  verdict: z.record(z.string(), z.unknown()).nullable(),
  cost_usd: z.number().nullish(),
});
const RunFile = z.looseObject({ suite_runs: z.array(Entry) });

/** What the file of a run says about one suite run. */
interface RunFileEntry {
  /** That of both sides stands with the candidate; null when there is none. */
  verdict: unknown;
  /** Null when nothing had a known price. */
  costUsd: number | null;
}

/** What the file of a run says about one suite run; nothing when there is no such file, or one of another kind. */
export async function readRunFile(
  path: string,
  { suite, cell, variant }: { suite: string; cell: string; variant: string },
): Promise<RunFileEntry> {
  const found = (await entriesOf(path)).filter((one) => one.suite === suite && one.cell === cell);
  return {
    verdict: found.find(({ verdict }) => verdict !== null)?.verdict ?? null,
    costUsd: found.find((one) => one.variant === variant)?.cost_usd ?? null,
  };
}

async function entriesOf(path: string): Promise<z.infer<typeof Entry>[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    // Results that were moved away from their run have no run beside them.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
  return RunFile.safeParse(JSON.parse(text)).data?.suite_runs ?? [];
}
