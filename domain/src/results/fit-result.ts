import { CaseOutcome, type TranscriptTurn } from '@proofmark/contracts/case-outcome';
import type { ProcessedFileInput } from '@proofmark/contracts/processed-file';
import type { TestRunResult } from '@proofmark/contracts/result-message';
import { truncateResponse } from './kept-text.ts';
import { totalCostUsd } from './totals.ts';

const fileCharacters = 2_000;
const textCharacters = 1_000;

/** What goes first: the text of files, then long turns, the transcript, what tools were told and said, the length of every text. */
const shortenings: readonly ((outcome: CaseOutcome) => CaseOutcome)[] = [
  (outcome) => ({ ...outcome, files: outcome.files.map(cutFile) }),
  (outcome) => ({ ...outcome, transcript: outcome.transcript.map(cutTurn) }),
  (outcome) => ({ ...outcome, transcript: [] }),
  withoutToolData,
  ({ startedAt, ...outcome }) => ({ ...cutTexts({ ...outcome, files: [] }), startedAt }),
];

/**
 * The result as JSON of at most so many bytes, whatever models and agents have written. The verdict stays whole as long
 * as anything else can go; a result that is too large even then becomes an error of constant size, so that its test run ends.
 */
export function fitResult(result: TestRunResult, mostBytes: number): string {
  const whole = jsonWithin(mostBytes, result);
  if (whole !== undefined) return whole;
  let outcome: CaseOutcome = { ...result.outcome, flags: [...new Set([...result.outcome.flags, 'evidence_cut'])] };
  for (const shorten of shortenings) {
    outcome = shorten(outcome);
    const json = jsonWithin(mostBytes, { ...result, outcome });
    if (json !== undefined) return json;
  }
  return JSON.stringify({ ...result, outcome: tooLarge(result.outcome, mostBytes) });
}

function tooLarge(outcome: CaseOutcome, mostBytes: number): CaseOutcome {
  return errorOutcome({
    ...outcome,
    errorKind: 'limit',
    errorMessage: `Result too large: more than ${mostBytes} bytes, also without its evidence`,
    // In one sum, because who spent it is no longer told.
    costUsd: totalCostUsd(outcome),
    flags: ['evidence_cut'],
  });
}

function jsonWithin(mostBytes: number, result: TestRunResult): string | undefined {
  // Counted first: all texts written out may be longer than a string can be.
  if (charactersIn(result) > mostBytes) return undefined;
  const json = JSON.stringify({ ...result, outcome: withoutUnset(result.outcome) });
  // A character is at most three bytes, so most results need no second look.
  return json.length * 3 <= mostBytes || new TextEncoder().encode(json).length <= mostBytes ? json : undefined;
}

const least = {
  ...{ status: 'passed', errorKind: null, errorMessage: null, testInput: '', response: null },
  ...{ executionTimeMs: 0, startedAt: '1970-01-01T00:00:00.000Z' },
};
const unset = Object.entries(CaseOutcome.parse(least))
  .filter(([key]) => !(key in least))
  .map(([key, usual]) => ({ key, usual }));

/** The outcome as it is sent: what nobody has set, a quarter of most, is filled in again by whoever reads it. */
function withoutUnset(outcome: CaseOutcome): object {
  const told: Record<string, unknown> = { ...outcome };
  for (const { key, usual } of unset) if (isSame(usual, told[key])) told[key] = undefined;
  return told;
}

/** Of what the defaults are made of: words, numbers, empty lists, and objects of those. */
function isSame(usual: unknown, value: unknown): boolean {
  if (typeof usual !== 'object' || usual === null || typeof value !== 'object' || value === null)
    return usual === value;
  if (Array.isArray(usual)) return Array.isArray(value) && value.length === 0;
  for (const key in usual)
    if (!isSame(usual[key as keyof typeof usual], value[key as keyof typeof value])) return false;
  return true;
}

/** A lower bound of the bytes that the value needs as JSON. */
function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  let sum = 2;
  // Every result passes here: with lists of the values of its objects, to write it takes 3.2 us instead of 1.9.
  if (Array.isArray(value)) for (const part of value) sum += charactersIn(part);
  else for (const key in value) sum += charactersIn(value[key as keyof typeof value]);
  return sum;
}

function withoutToolData(outcome: CaseOutcome): CaseOutcome {
  const toolCalls = outcome.toolCalls.map((call) => ({ ...call, args: null, result: null }));
  if (outcome.mocks === undefined) return { ...outcome, toolCalls };
  const { recorded: _recorded, ...mocks } = outcome.mocks;
  return { ...outcome, toolCalls, mocks };
}

/** The same shape with every text cut. */
function cutTexts<Value>(value: Value): Value {
  return shortened(value) as Value; // only the characters inside of texts differ
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return truncateResponse(value, textCharacters).text;
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shortened(part)]));
}

function cutTurn(turn: TranscriptTurn): TranscriptTurn {
  return { ...turn, text: truncateResponse(turn.text).text };
}

function cutFile(file: ProcessedFileInput): ProcessedFileInput {
  const { text, isTruncated } = truncateResponse(file.markdown_content, fileCharacters);
  return isTruncated ? { ...file, markdown_content: text, metadata: { ...file.metadata, truncated: true } } : file;
}

const shownCharacters = 200;

type Broken = Pick<CaseOutcome, 'testInput' | 'startedAt'> &
  Partial<Pick<CaseOutcome, 'usage' | 'costUsd' | 'executionTimeMs' | 'retryCount' | 'flags'>> & {
    errorKind: NonNullable<CaseOutcome['errorKind']>;
    errorMessage: string;
  };

/** The outcome of a test run of which nothing is left to tell but that it broke and what it cost. Always small. */
export function errorOutcome({ testInput, startedAt, errorKind, errorMessage, ...known }: Broken): CaseOutcome {
  return {
    status: 'error',
    errorKind,
    errorMessage: truncateResponse(errorMessage, shownCharacters).text,
    degraded: false,
    testInput: truncateResponse(testInput, shownCharacters).text,
    files: [],
    response: null,
    truncated: false,
    checks: [],
    toolCalls: [],
    tools: { matched: null, problems: [] },
    metrics: [],
    metricDetails: [],
    outcomes: null,
    transcript: [],
    model: null,
    usage: known.usage ?? null,
    costUsd: known.costUsd ?? null,
    latencyMs: null,
    executionTimeMs: known.executionTimeMs ?? 0,
    retryCount: known.retryCount ?? 0,
    // A time may be written with as many digits as one likes.
    startedAt: new Date(startedAt).toISOString(),
    flags: known.flags ?? [],
  };
}
