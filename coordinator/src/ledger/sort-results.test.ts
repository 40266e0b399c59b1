import { expect, it } from 'vitest';
import type { IncomingResult } from './incoming-results.ts';
import { type ChunkOnRecord, sortResults } from './sort-results.ts';

const chunk: ChunkOnRecord = {
  tenantId: 'tenant',
  id: 'chunk',
  runId: 'run',
  members: ['done', 'test run'],
  settled: 0b01n,
  state: 'leased',
  attempt: 2,
  sessionId: 'session',
  holders: ['zombie', 'session'],
  goesOn: true,
};

const outcome = {
  status: 'passed',
  errorKind: null,
  errorMessage: null,
  degraded: false,
  testInput: '',
  response: null,
  truncated: false,
  checks: [],
  toolCalls: [],
  tools: { matched: null, problems: [] },
  metrics: [],
  files: [],
  metricDetails: [],
  outcomes: null,
  transcript: [],
  model: null,
  usage: null,
  costUsd: null,
  latencyMs: null,
  executionTimeMs: 0,
  retryCount: 0,
  startedAt: '2026-01-31T12:00:00.000Z',
  flags: [],
} satisfies IncomingResult['outcome'];

const genuine: IncomingResult = {
  message: 0,
  tenantId: 'tenant',
  runId: 'run',
  chunkId: 'chunk',
  at: 1,
  attempt: 2,
  sessionId: 'session',
  outcome,
};

const counts = (results: IncomingResult[], chunks = [chunk]) => {
  const { accepted, late, forged, unknown } = sortResults(results, chunks);
  return [accepted, late, forged, unknown].map(({ length }) => length);
};

it('accepts the attempt and session on record, once', () => {
  expect(counts([genuine])).toEqual([1, 0, 0, 0]);
  expect(counts([genuine, genuine, genuine])).toEqual([1, 2, 0, 0]);
});

it('knows the test run by its place in the chunk', () => {
  expect(sortResults([genuine], [chunk]).accepted).toEqual([{ ...genuine, testRunId: 'test run' }]);
});

it.each([
  ['an older attempt of the session that held it', { attempt: 1, sessionId: 'zombie' }],
  ['a place that is settled', { at: 0 }],
])('refuses %s as late', (_what, change) => {
  expect(counts([{ ...genuine, ...change }])).toEqual([0, 1, 0, 0]);
});

it.each([
  ['an older attempt of another', { attempt: 1 }],
  ['an attempt that never was', { attempt: 3 }],
  ['another session', { sessionId: 'zombie' }],
])('takes a result of %s for one of a session that never held the attempt', (_what, change) => {
  expect(counts([{ ...genuine, ...change }])).toEqual([0, 0, 1, 0]);
});

it.each([
  ['another tenant', { tenantId: 'rival' }],
  ['another run', { runId: 'other' }],
  ['an unknown chunk', { chunkId: 'other' }],
  ['a place that the chunk does not have', { at: 2 }],
])('does not know a result that names %s', (_what, change) => {
  expect(counts([{ ...genuine, ...change }])).toEqual([0, 0, 0, 1]);
});

it.each(['queued', 'done', 'closed'] as const)('refuses every result once the chunk is %s', (state) => {
  expect(counts([genuine], [{ ...chunk, state }])).toEqual([0, 1, 0, 0]);
});

it('refuses every result once somebody has decided that the suite run ends', () => {
  expect(counts([genuine], [{ ...chunk, goesOn: false }])).toEqual([0, 1, 0, 0]);
});

it('knows the last of 64 places', () => {
  const members = Array.from({ length: 64 }, (_, at) => `test run ${at}`);
  const full = { ...chunk, members, settled: BigInt.asIntN(64, 1n << 63n) };
  expect(counts([{ ...genuine, at: 63 }], [full])).toEqual([0, 1, 0, 0]);
  expect(counts([{ ...genuine, at: 62 }], [full])).toEqual([1, 0, 0, 0]);
});

it('lets no forged twin in the same batch stand in for the genuine result', () => {
  const forged = [
    { ...genuine, runId: 'other' },
    { ...genuine, sessionId: 'zombie' },
  ];
  expect(sortResults([...forged, genuine], [chunk]).accepted).toEqual([{ ...genuine, testRunId: 'test run' }]);
});
