import { expect, test } from 'vitest';
import { decideStatus, type Judged } from './finish-outcome.ts';

const metric = (passed: boolean, error: string | null = null, failOnError = false) => ({
  metric_name: 'm',
  passed,
  error,
  failOnError,
});
const errored = { status: 'error' as const, error: 'no judge' };
const nothing: Judged = { error: null, toolsMatched: null, verdicts: [], checks: [], metrics: [] };

test.each<[string, Partial<Judged>, object]>([
  ['nothing that failed', {}, { status: 'passed', degraded: false }],
  [
    'an execution error decides alone',
    { error: { kind: 'timeout', message: 'Timeout after 30000ms' }, toolsMatched: false },
    { status: 'error', errorKind: 'timeout', errorMessage: 'Timeout after 30000ms' },
  ],
  [
    'a failed check before the judge was too slow (J1)',
    { error: { kind: 'judge', message: 'slow' }, verdicts: ['fail'] },
    { status: 'failed', errorKind: null, degraded: true },
  ],
  [
    'nothing that failed before the judge was too slow',
    { error: { kind: 'judge', message: 'slow' }, verdicts: ['pass'], toolsMatched: true },
    { status: 'error', errorKind: 'judge', errorMessage: 'slow' },
  ],
  ['tools that do not match (S0-131)', { toolsMatched: false }, { status: 'failed' }],
  ['a failed block', { verdicts: ['fail'] }, { status: 'failed' }],
  ['a failed metric', { metrics: [metric(true), metric(false)] }, { status: 'failed' }],
  [
    'a fail beats an error',
    { verdicts: ['error'], checks: [errored], metrics: [metric(false)] },
    { status: 'failed', degraded: true },
  ],
  [
    'an errored block',
    { verdicts: ['error'], checks: [errored] },
    { status: 'error', errorKind: 'judge', errorMessage: 'no judge' },
  ],
  [
    'an errored check that did not decide',
    { verdicts: ['pass'], checks: [errored] },
    { status: 'passed', degraded: true },
  ],
  [
    'one errored metric among passed ones (C04)',
    { metrics: [metric(true), metric(false, 'down')] },
    { status: 'passed', degraded: true },
  ],
  [
    'the same with fail_on_error (S0-37)',
    { metrics: [metric(true), metric(false, 'down', true)] },
    { status: 'error', errorKind: 'judge', errorMessage: 'Metric m: down' },
  ],
  [
    'all metrics errored',
    { metrics: [metric(false, 'down'), metric(false, 'down')] },
    { status: 'error', errorKind: 'judge' },
  ],
])('C42 S0-131 a test run with %s has one status from all that judged it', (_, judged, expected) => {
  expect(decideStatus({ ...nothing, ...judged })).toMatchObject(expected);
});
