import type { ABSession, ABTestResult, AgentResponse } from '@proofmark/contracts/ab-session';
import { TestReport, type TestResult } from '@proofmark/contracts/test-report';
import { placeEnvironment } from '../report/build-test-report.ts';
import { summarize } from '../report/summarize.ts';
import type { ReportWithFacts, TestRunFacts } from '../report-html/page-shapes.ts';
import { type CsvCell, type CsvOptions, csvText } from '../text/csv-text.ts';
import { twoDecimals } from '../text/format-numbers.ts';
import { compareResponses, measureResponse } from './summarize-session.ts';

/** A response as its file holds it: with what can be computed from it, which is never read back. */
function responseDocument(response: AgentResponse): object {
  const { response: text, prompt_tokens, completion_tokens, ...rest } = response;
  const { total_tokens, ...measures } = measureResponse(response);
  return { response: text, prompt_tokens, completion_tokens, total_tokens, ...rest, ...measures };
}

/** One result as its file holds it (seed 003): what compares its sides is computed and never read back. */
export function resultDocument({ question, baseline, candidate, ...rest }: ABTestResult): object {
  return {
    question,
    baseline: responseDocument(baseline),
    candidate: responseDocument(candidate),
    ...rest,
    ...compareResponses(baseline, candidate),
  };
}

/** A session as its file holds it (seed 003), its results last. Reading it gives the session again without loss. */
export function sessionDocument({ results, ...session }: ABSession): object {
  return { ...session, results: results.map(resultDocument) };
}

/** Name of a session's own file; the id can only be one that names no other folder. */
export const sessionFileName = (sessionId: string, extension: 'json' | 'csv'): string =>
  `session__${sessionId}.${extension}`;

/** Name of the file of one result; colons are not allowed in names on every system. */
export const resultFileName = ({ session_id, timestamp }: Pick<ABTestResult, 'session_id' | 'timestamp'>): string =>
  `${session_id}__${timestamp.replaceAll(':', '-')}.json`;

/** The id in the name of a session's file; undefined for the name of anything else. */
export const sessionIdOfFile = (name: string): string | undefined =>
  /^session__([A-Za-z0-9_-]{1,64})\.json$/.exec(name)?.[1];

const QUESTION_CHARACTERS = 80;

/** One row of the CSV of a session (seed 003): the reading form, JSON is the one without loss. */
export function sessionCsvRow({
  question,
  baseline,
  candidate,
}: Pick<ABTestResult, 'question' | 'baseline' | 'candidate'>) {
  const comparison = compareResponses(baseline, candidate);
  const [before, after] = [measureResponse(baseline), measureResponse(candidate)];
  return {
    // By characters, so that the cut never leaves half of one.
    question: Array.from(question).slice(0, QUESTION_CHARACTERS).join(''),
    baseline_tokens: before.total_tokens,
    candidate_tokens: after.total_tokens,
    token_overhead: comparison.token_overhead,
    baseline_latency_ms: twoDecimals(baseline.latency_ms),
    candidate_latency_ms: twoDecimals(candidate.latency_ms),
    latency_diff_ms: twoDecimals(comparison.latency_diff_ms),
    response_length_ratio: twoDecimals(comparison.response_length_ratio),
  };
}

/** What the seed computes beside that of a question and its CSV leaves out; it stands behind the columns of the seed. */
function furtherCells({ baseline, candidate }: Pick<ABTestResult, 'baseline' | 'candidate'>) {
  const comparison = compareResponses(baseline, candidate);
  const [before, after] = [measureResponse(baseline), measureResponse(candidate)];
  return {
    token_overhead_pct: twoDecimals(comparison.token_overhead_pct),
    latency_improvement_pct: twoDecimals(comparison.latency_improvement_pct),
    latency_change_pct: twoDecimals(comparison.latency_change_pct),
    baseline_tokens_per_ms: rate(before.tokens_per_ms),
    candidate_tokens_per_ms: rate(after.tokens_per_ms),
    baseline_success: before.success,
    candidate_success: after.success,
    both_successful: comparison.both_successful,
  };
}

/** Everything that is computed of a question, by the names of the seed. */
export function sessionMeasures(result: ABTestResult): [name: string, cell: CsvCell][] {
  const { question: _question, ...cells } = sessionCsvRow(result);
  return Object.entries({ ...cells, ...furtherCells(result) });
}

/** Models write some hundredths of a token per millisecond. */
const rate = (tokensPerMs: number): string => tokensPerMs.toFixed(4);

const columns = [
  'question',
  'baseline_tokens',
  'candidate_tokens',
  'token_overhead',
  'baseline_latency_ms',
  'candidate_latency_ms',
  'latency_diff_ms',
  'response_length_ratio',
  'token_overhead_pct',
  'latency_improvement_pct',
  'latency_change_pct',
  'baseline_tokens_per_ms',
  'candidate_tokens_per_ms',
  'baseline_success',
  'candidate_success',
  'both_successful',
] as const satisfies readonly (keyof (ReturnType<typeof sessionCsvRow> & ReturnType<typeof furtherCells>))[];

/** A file of another tool may have a name of its own for every question. */
const mostMetadataColumns = 50;

/** The CSV file of a session: its header and a row per question, with a column for each thing that is known of questions. */
export function renderSessionCsv(
  { results, environment }: Pick<ABSession, 'results' | 'environment'>,
  options: CsvOptions = {},
): string {
  const names = [...new Set(results.flatMap(({ metadata }) => Object.keys(metadata)))]
    .filter((name) => name !== 'pair')
    .slice(0, mostMetadataColumns);
  const rows = results.map((result) => {
    const row = { ...sessionCsvRow(result), ...furtherCells(result) };
    return [
      ...columns.map((column) => row[column]),
      environment.backoff_factor ?? '',
      ...names.map((name) => metadataText(result.metadata[name])),
    ];
  });
  return csvText([[...columns, 'backoff_factor', ...names.map((name) => `metadata_${name}`)], ...rows], options);
}

/** Texts as they are, lists of texts one behind the other, everything else as JSON. */
function metadataText(value: ABTestResult['metadata'][string] | undefined): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** What the product itself knows of a question and tells elsewhere; the rest is its author's, or the kind of an error. */
const knownMetadata = [
  ...['pair', 'suite', 'suite_path', 'case', 'cell', 'repetition', 'difficulty', 'tags'],
  ...['order', 'baseline_status', 'candidate_status'],
] as const;

/** The metadata that its author gave a question, and what kind of error left a side without an answer. */
export const givenMetadata = (metadata: ABTestResult['metadata']): [name: string, text: string][] =>
  Object.entries(metadata)
    .filter(([name]) => !(knownMetadata as readonly string[]).includes(name))
    .map(([name, value]) => [name, metadataText(value)]);

type Side = 'baseline' | 'candidate';

/**
 * A session as reports, one per suite, cell and side, so that it can be read in every format. It keeps of each answer
 * whether it passed and not why; one that nobody judged passes when it came. Empty while nothing was answered.
 */
export function sessionReports(session: ABSession, version: string): ReportWithFacts[] {
  const groups = Map.groupBy(session.results, ({ metadata }) =>
    JSON.stringify([text(metadata.suite), text(metadata.cell)]),
  );
  return [...groups.values()].flatMap((results) =>
    (['candidate', 'baseline'] as const).map((side) => reportOf(session, { results, side, version })),
  );
}

interface OneSide {
  results: readonly ABTestResult[];
  side: Side;
  version: string;
}

function reportOf(session: ABSession, { results, side, version }: OneSide): ReportWithFacts {
  const metadata: ABTestResult['metadata'] = results[0]?.metadata ?? {};
  const tested = results.map((result) => testResult(result, side));
  const { suite = `Session ${session.session_id}`, suite_path: path = '' } = metadata;
  const source = side === 'candidate' && session.llms_source_path !== '' ? session.llms_source_path : text(path);
  const report = TestReport.parse({
    agent_name: side === 'baseline' ? session.baseline_model : session.candidate_model,
    agent_config_path: source === '' ? `session ${session.session_id}` : source,
    results: tested,
    summary: summarize(tested),
    skipped: [],
    timestamp: session.end_time ?? session.start_time,
    proofmark_version: version,
    environment: {
      ...session.environment,
      ...placeEnvironment({ suite: text(suite), cell: text(metadata.cell), variant: side }),
    },
  });
  const unexplained = report.results.flatMap(({ passed, errors }, at) =>
    passed || errors.length > 0 ? [] : [[at, ['did not pass its checks; a session does not keep why']] as const],
  );
  return {
    report,
    reasons: new Map(unexplained),
    facts: new Map(results.map((result, at) => [at, factsOf(result, side)])),
  };
}

function testResult({ question, metadata, timestamp, ...sides }: ABTestResult, side: Side): TestResult {
  const { response, error, latency_ms } = sides[side];
  const status = text(metadata[`${side}_status`]);
  return {
    test_name: text(metadata.case) || null,
    test_input: question === '' ? '(empty)' : question,
    processed_files: [],
    agent_response: error === null ? response : null,
    tool_calls: [],
    expected_tools: null,
    tools_matched: null,
    metric_results: [],
    ground_truth: null,
    passed: error === null && (status === '' || status === 'passed'),
    execution_time_ms: Math.round(latency_ms),
    errors: error !== null ? [error] : status === 'error' ? ['The answer could not be judged'] : [],
    timestamp,
  };
}

function factsOf(result: ABTestResult, side: Side): TestRunFacts {
  const { metadata, ...sides } = result;
  const { repetition } = metadata;
  const { latency_ms: latencyMs, error, retry_count: retries } = sides[side];
  return {
    repetition: typeof repetition === 'number' ? repetition : 1,
    latencyMs: error === null ? latencyMs : null,
    tokens: tokensOf(sides[side]),
    costUsd: null,
    named: [...measuresOf(result, side), ['retry_count', String(retries)], ...givenMetadata(metadata)],
  };
}

/** What of the row of its CSV concerns one side, and with the candidate what compares it with the baseline. */
function measuresOf(result: ABTestResult, side: Side): [name: string, value: string][] {
  const other = side === 'baseline' ? 'candidate_' : 'baseline_';
  return sessionMeasures(result).flatMap(([name, value]) => {
    if (name.startsWith(other) || (side === 'baseline' && !name.startsWith('baseline_'))) return [];
    return [[name.replace(`${side}_`, ''), String(value)]];
  });
}

/** Tokens that nobody reported are 0. */
function tokensOf({ prompt_tokens, completion_tokens }: AgentResponse): number | null {
  const tokens = prompt_tokens + completion_tokens;
  return tokens === 0 ? null : tokens;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
