import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { truncateResponse } from './kept-text.ts';

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
