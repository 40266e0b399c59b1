import { describe, expect, test } from 'vitest';
import { describeBrokenCall, describeStatus, type StatusError } from './describe-failure.ts';
import { AbandonedStream, RefusedAnswer, UnusableStream } from './refused-answer.ts';

const now = new Date(Date.UTC(2026, 0, 1, 12));
const status = (given: Partial<StatusError>, headers: Record<string, string> = {}) =>
  describeStatus(
    {
      ...{ status: 500, message: '500 oops', code: null, requestId: null },
      ...given,
      header: (name) => headers[name] ?? null,
    },
    now,
  );

describe('an error status', () => {
  test('says what came, and the request that the provider can find again (M9)', () => {
    expect(status({ requestId: 'req_7' })).toEqual({
      ...{ errorClass: 'ServerError', kind: 'agent', message: 'The provider answered 500 oops (request req_7)' },
      ...{ retryable: true, retryAfterMs: null },
    });
  });

  test.each([
    [408, true],
    [409, true],
    [425, true],
    [429, true],
    [500, true],
    [503, true],
    [529, true],
    [400, false],
    [404, false],
    [413, false],
    [422, false],
  ])('%i may pass: %s', (code, retryable) => {
    expect(status({ status: code }).retryable).toBe(retryable);
  });

  test.each([
    [401, null],
    [403, null],
    [429, 'insufficient_quota'],
    [429, 'billing_hard_limit_reached'],
  ])('%i %s refuses key or quota: it counts for the breaker and is not tried again', (code, reason) => {
    expect(status({ status: code, code: reason })).toMatchObject({ retryable: false, isRefusal: true });
  });

  test.each([
    [400, 'context_length_exceeded'],
    [400, 'content_filter'],
    [503, 'context_length_exceeded'],
  ])('%i %s is final, whatever its status is', (code, reason) => {
    expect(status({ status: code, code: reason })).toMatchObject({ retryable: false });
  });

  test('asks for a pause in seconds, as a date or in milliseconds, which win', () => {
    const asked = (headers: Record<string, string>) => status({ status: 429 }, headers).retryAfterMs;
    expect(asked({ 'retry-after': '2' })).toBe(2_000);
    expect(asked({ 'retry-after': 'Thu, 01 Jan 2026 12:00:07 GMT' })).toBe(7_000);
    expect(asked({ 'retry-after': '2', 'retry-after-ms': '350' })).toBe(350);
    expect(asked({ 'retry-after': 'soon' })).toBeNull();
  });
});

describe('a call without an answer', () => {
  const wrapped = (cause: Error) => new Error('Connection error.', { cause });

  test('may pass, and says what broke it', () => {
    const reset = Object.assign(new Error('read failed'), { code: 'ECONNRESET' });
    expect(describeBrokenCall(wrapped(reset))).toEqual({
      ...{
        errorClass: 'ConnectionError',
        kind: 'agent',
        message: 'Connection error: read failed (ECONNRESET)',
        retryable: true,
        retryAfterMs: null,
      },
    });
    expect(describeBrokenCall('odd')).toMatchObject({ message: 'Connection error: odd', retryable: true });
  });

  test('is final where a rule of ours refused it; too much is a matter of the limit (M3)', () => {
    expect(describeBrokenCall(wrapped(new RefusedAnswer('too_large', 'large')))).toMatchObject({
      ...{ kind: 'limit', message: 'large', retryable: false },
    });
    expect(describeBrokenCall(wrapped(new RefusedAnswer('redirect', 'moved')))).toMatchObject({
      ...{ kind: 'agent', message: 'moved', retryable: false },
    });
    expect(describeBrokenCall(wrapped(new SyntaxError('x')))).toMatchObject({ kind: 'agent', retryable: false });
  });

  test('is an answer where a stream said what no answer says: a judge may be asked again, an agent is not', () => {
    expect(describeBrokenCall(wrapped(new UnusableStream('odd')))).toMatchObject({ retryable: false, isAnswer: true });
  });

  test.each([
    [null, null, { retryable: true }],
    [529, null, { retryable: true }],
    [400, null, { retryable: false }],
    [null, 'content_filter', { retryable: false }],
    [null, 'insufficient_quota', { retryable: false, isRefusal: true }],
    [401, null, { retryable: false, isRefusal: true }],
  ])('is what the provider said when it gave a stream up: %s %s', (code, reason, expected) => {
    const failure = describeBrokenCall(wrapped(new AbandonedStream('overloaded', { status: code, code: reason })));
    expect(failure).toMatchObject({
      ...expected,
      message: 'The provider broke the answer off with an error: overloaded',
    });
  });
});
