import type { ABSession, ABTestResult } from '@proofmark/contracts/ab-session';
import type { ExecutionStats } from '@proofmark/contracts/execution-stats';
import { plural, twoDecimals } from '@proofmark/domain/format-numbers';
import { givenMetadata, sessionDocument, sessionMeasures } from '@proofmark/domain/session-files';
import {
  differenceWords,
  judgedWords,
  latencyWords,
  measureResponse,
  measureSession,
  type SessionSummary,
  type SideSummary,
  sessionLatencyWords,
  statsDocument,
  summarizeSession,
  tokenWords,
} from '@proofmark/domain/summarize-session';
import { type ExitCode, exitCodes } from '../arguments/exit-code.ts';
import type { ShownStep } from '../output/progress.ts';
import { paint, plain, type Terminal, table, wrapLine } from '../output/terminal.ts';

/** One question in one line: what the candidate costs and how fast it is beside the baseline, and how both were judged. */
export function pairLine({ question, baseline, candidate, metadata }: ABTestResult, terminal: Terminal): string {
  const { suite, case: name } = metadata;
  const title = typeof suite === 'string' && typeof name === 'string' ? `${suite} › ${name}` : question;
  const failed = [
    ['baseline', baseline.error],
    ['candidate', candidate.error],
  ].flatMap(([side, error]) => (error === null ? [] : [`         ${side}: ${plain(error ?? '').slice(0, 200)}\n`]));
  const word = failed.length === 0 ? paint(terminal, 'green', 'answered') : paint(terminal, 'red', 'ERROR   ');
  const difference = failed.length === 0 ? `  ${differenceOf(baseline, candidate)}` : '';
  return `${word}  ${plain(title)}${difference}${judgedText(metadata)}\n${failed.join('')}`;
}

function differenceOf(baseline: ABTestResult['baseline'], candidate: ABTestResult['candidate']): string {
  const [before, after] = [measureResponse(baseline).total_tokens, measureResponse(candidate).total_tokens];
  const latency = latencyWords(baseline.latency_ms, candidate.latency_ms);
  // An agent whose tokens nobody reports has none on either side.
  return before === 0 && after === 0 ? latency : `${tokenWords(before, after)}, ${latency}`;
}

function judgedText({ baseline_status: before, candidate_status: after }: ABTestResult['metadata']): string {
  if (typeof before !== 'string' || typeof after !== 'string') return '';
  return before === after ? `  (${plain(before)})` : `  (${plain(before)} → ${plain(after)})`;
}

/** A pair as a step of its session. A pair is worth a line however many there are when the sides differ in what came of them. */
export function pairStep(
  { result, done, total }: { result: ABTestResult; done: number; total: number },
  terminal: Terminal,
): ShownStep {
  const { baseline, candidate, metadata } = result;
  const isBroken = baseline.error !== null || candidate.error !== null;
  const count = `${String(done).padStart(String(total).length)}/${total}`;
  return {
    done,
    total,
    costUsd: null,
    state: isBroken ? 'error' : metadata.candidate_status === 'failed' ? 'failed' : 'passed',
    lines: `${count}  ${pairLine(result, terminal)}`,
    isNews: total <= 100 || isBroken || metadata.baseline_status !== metadata.candidate_status,
  };
}

/** What a comparison came to: both sides in a table, and the difference in words. */
export function abComparisonText(comparison: ABSession, terminal: Terminal, nowMs: number): string {
  const summary = summarizeSession(comparison);
  const { baseline, candidate, compared } = summary;
  const { duration_ms, test_count } = measureSession(comparison, nowMs);
  const state = comparison.end_time === null ? paint(terminal, 'yellow', 'open') : 'ended';
  const passed = (key: string) =>
    String(comparison.results.filter(({ metadata }) => metadata[key] === 'passed').length);
  const row = (name: string, model: string, side: SideSummary): string[] => [
    ...[name, plain(model), String(side.errors), passed(`${name}_status`), String(side.tokens)],
    side.medianLatencyMs === null ? '-' : `${twoDecimals(side.medianLatencyMs)} ms`,
  ];
  const rows = [
    ['SIDE', 'MODEL', 'ERRORS', 'PASSED', 'TOKENS', 'MEDIAN LATENCY'],
    row('baseline', comparison.baseline_model, baseline),
    row('candidate', comparison.candidate_model, candidate),
  ];
  const title = `${paint(terminal, 'bold', comparison.session_id)}: ${plural(test_count, 'question')} in ${(duration_ms / 1000).toFixed(1)}s, ${compared} answered by both sides  ${state}\n`;
  const difference =
    compared === 0
      ? ''
      : `  The candidate: ${tokenWords(baseline.tokens, candidate.tokens)}, ${sessionLatencyWords(summary)}\n`;
  return `${title}${facts(comparison)}${table(rows, '  ')}${difference}${certainty(summary)}`;
}

/** How sure the differences are. */
function certainty({ tokens, latencyMs, judged }: SessionSummary): string {
  // Tokens that nobody reports are 0 on both sides.
  const isCounted = tokens !== null && (tokens.lo !== 0 || tokens.hi !== 0);
  return [
    isCounted ? `Tokens: ${differenceWords(tokens, 'tokens')}` : '',
    latencyMs === null ? '' : `Latency: ${differenceWords(latencyMs, 'ms')}`,
    judgedWords(judged),
  ]
    .filter((line) => line !== '')
    .map((line) => `  ${line}\n`)
    .join('');
}

function facts({ llms_source_path, notes, environment }: ABSession): string {
  const known = [
    llms_source_path === '' ? '' : `candidate from ${plain(llms_source_path)}`,
    environment.strategy === undefined ? '' : plain(environment.strategy),
    environment.order_seed === undefined ? '' : `order seed ${plain(environment.order_seed)}`,
    triesWords(environment),
  ].filter((fact) => fact !== '');
  return `${known.length === 0 ? '' : `  ${known.join(', ')}\n`}${notes === '' ? '' : `  ${plain(notes)}\n`}`;
}

/** How often a side was asked before it had failed, and how the pauses between its tries grew. */
function triesWords({ max_attempts, initial_delay_ms, backoff_factor }: ABSession['environment']): string {
  if (max_attempts === undefined || initial_delay_ms === undefined || backoff_factor === undefined) return '';
  return plain(`tries ${max_attempts}, pause ${initial_delay_ms} ms, backoff_factor ${backoff_factor}`);
}

/** Questions beyond these are in the files. */
const mostMeasuredLines = 200;

/** What seed 003 computes of each question, under its own names. */
export function measuresText({ results }: ABSession): string {
  const shown = results.slice(0, mostMeasuredLines);
  const lines = shown.flatMap((result) => {
    const given = givenMetadata(result.metadata).map(([name, text]) => `metadata.${name}: ${text}`);
    const measures = sessionMeasures(result).map(([name, cell]) => `${name}: ${cell}`);
    const wrapped = [measures, given].flatMap((part) =>
      part.length === 0 ? [] : wrapLine(`  ${part.map(plain).join(', ')}`, { width: 110, hanging: '  ' }),
    );
    return [plain(result.question), ...wrapped];
  });
  const more = results.length - shown.length;
  if (shown.length === 0) return '';
  return `\n${lines.map((line) => `  ${line}\n`).join('')}${more > 0 ? `  ${more} more questions: --format csv has them all\n` : ''}`;
}

/** How often each model was asked and what came of it. */
export function statsText({ models }: ExecutionStats): string {
  const rows = Object.entries(models).map(([model, counts]) => [
    plain(model),
    ...[counts.total_invocations, counts.successful_invocations, counts.failed_invocations].map(String),
    String(sum(counts.retry_count)),
    String(sum(counts.timeouts)),
    Object.entries(counts.errors_by_type)
      .map(([kind, count]) => `${plain(kind)} ${count}`)
      .join(', ') || '-',
  ]);
  if (rows.length === 0) return '';
  const header = ['MODEL', 'INVOCATIONS', 'OK', 'FAILED', 'OK AFTER RETRY', 'TIMEOUTS', 'ERRORS'];
  return `\n${table([header, ...rows], '  ')}`;
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

/** The JSON answer about a comparison: its file, and what can be computed from it. */
export const abComparisonAnswer = (comparison: ABSession, stats: ExecutionStats, nowMs: number): object => ({
  ...sessionDocument(comparison),
  ...measureSession(comparison, nowMs),
  execution_stats: statsDocument(stats),
  ...differences(comparison),
});

/** How much the sides differ on questions that both answered, and how sure that is. */
function differences(comparison: ABSession) {
  const { compared, tokens, latencyMs, judged } = summarizeSession(comparison);
  const { questions, losses, wins, midp } = judged;
  return { differences: { compared, tokens, latency_ms: latencyMs, judged: { questions, losses, wins, midp } } };
}

/** A comparison has no gate: 0 when both sides answered everything, 3 when an answer is missing. */
export function exitCodeOfComparison({ results }: ABSession, { isInterrupted }: { isInterrupted: boolean }): ExitCode {
  if (isInterrupted) return exitCodes.interrupted;
  const isWhole = results.every(({ baseline, candidate }) => baseline.error === null && candidate.error === null);
  return isWhole ? exitCodes.fine : exitCodes.notJudged;
}
