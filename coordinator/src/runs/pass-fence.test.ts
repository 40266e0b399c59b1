import { expect, it } from 'vitest';
import type { IncomingResult } from './incoming-results.ts';
import { type LeaseOnRecord, passFence } from './pass-fence.ts';

const lease: LeaseOnRecord = {
  tenantId: 'tenant',
  runId: 'run',
  suiteRunId: 'suite run',
  testRunId: 'test run',
  state: 'leased',
  attempt: 2,
  sessionId: 'session',
  pastHolders: ['1:earlier'],
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
  suiteRunId: 'suite run',
  testRunId: 'test run',
  attempt: 2,
  sessionId: 'session',
  outcome,
};

const counts = (results: IncomingResult[], leases = [lease]) => {
  const { accepted, late, forged, unknown } = passFence(results, leases);
  return { accepted: accepted.length, late: late.length, forged: forged.length, unknown: unknown.length };
};

it('accepts the attempt and session on record, once', () => {
  expect(counts([genuine])).toEqual({ accepted: 1, late: 0, forged: 0, unknown: 0 });
  expect(counts([genuine, genuine, genuine])).toEqual({ accepted: 1, late: 2, forged: 0, unknown: 0 });
});

it('refuses the result of an attempt that is over as late, when it comes from who held it', () => {
  const earlier = { ...genuine, attempt: 1, sessionId: 'earlier' };
  expect(counts([earlier])).toEqual({ accepted: 0, late: 1, forged: 0, unknown: 0 });
});

it.each([
  ['an older attempt of another', { attempt: 1 }],
  ['an attempt that never was', { attempt: 3 }],
  ['another session', { sessionId: 'zombie' }],
  ['the attempt on record from who held an earlier one', { sessionId: 'earlier' }],
])('N4 calls %s forged', (_what, change) => {
  expect(counts([{ ...genuine, ...change }])).toEqual({ accepted: 0, late: 0, forged: 1, unknown: 0 });
});

it.each([
  ['another tenant', { tenantId: 'rival' }],
  ['another run', { runId: 'other' }],
  ['another suite run', { suiteRunId: 'other' }],
  ['an unknown test run', { testRunId: 'other' }],
])('does not know a result that names %s', (_what, change) => {
  expect(counts([{ ...genuine, ...change }])).toEqual({ accepted: 0, late: 0, forged: 0, unknown: 1 });
});

it.each(['queued', 'done', 'closed'] as const)('refuses every result once the lease is %s', (state) => {
  expect(counts([genuine], [{ ...lease, state }])).toEqual({ accepted: 0, late: 1, forged: 0, unknown: 0 });
});

it('lets no forged twin in the same batch stand in for the genuine result', () => {
  const forged = [
    { ...genuine, runId: 'other' },
    { ...genuine, sessionId: 'zombie' },
  ];
  expect(passFence([...forged, genuine], [lease]).accepted).toEqual([genuine]);
});
