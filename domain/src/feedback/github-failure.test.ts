import { describe, expect, it } from 'vitest';
import { classifyGitHubFailure, guessedPauseMs } from './github-failure.ts';

const now = Date.parse('2026-05-01T12:00:00Z');

function refusal(status: number, headers: Record<string, string> = {}, message = 'Forbidden'): Error {
  return Object.assign(new Error(message), { status, response: { status, headers, data: { message } } });
}

describe('what an answer of GitHub means', () => {
  it('a broken connection leaves the outcome unknown, so nothing is created again blindly', () => {
    const broken = Object.assign(new Error('fetch failed'), { status: 500 });
    expect(classifyGitHubFailure(broken, now).kind).toBe('unknown');
    expect(classifyGitHubFailure(new TypeError('terminated'), now).kind).toBe('unknown');
    expect(classifyGitHubFailure(refusal(502), now).kind).toBe('unknown');
  });

  it('Retry-After pauses the installation for that long', () => {
    expect(classifyGitHubFailure(refusal(403, { 'Retry-After': '7' }), now)).toMatchObject({
      kind: 'wait',
      afterMs: 7_000,
    });
    expect(classifyGitHubFailure(refusal(429, { 'retry-after': '2' }), now)).toMatchObject({ afterMs: 2_000 });
  });

  it('a used-up limit waits for its reset, a secondary one without a header for a minute', () => {
    const reset = String(now / 1000 + 90);
    const usedUp = refusal(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset });
    expect(classifyGitHubFailure(usedUp, now)).toMatchObject({ kind: 'wait', afterMs: 90_000 });
    const inTwoHours = refusal(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1000 + 7_200) });
    expect(classifyGitHubFailure(inTwoHours, now)).toMatchObject({ afterMs: 7_200_000, isGuess: false });
    const secondary = refusal(403, {}, 'You have exceeded a secondary rate limit');
    expect(classifyGitHubFailure(secondary, now)).toMatchObject({ kind: 'wait', afterMs: 60_000, isGuess: true });
    expect([0, 1, 2, 3, 4, 50].map(guessedPauseMs)).toEqual(
      [60, 120, 240, 480, 900, 900].map((seconds) => seconds * 1_000),
    );
  });

  it('a missing permission is refused with GitHub’s words, a deleted object is gone', () => {
    const refused = classifyGitHubFailure(refusal(403, {}, 'Resource not accessible by integration'), now);
    expect(refused).toEqual({
      kind: 'refused',
      status: 403,
      reason: 'GitHub refused (403): Resource not accessible by integration',
    });
    expect(classifyGitHubFailure(refusal(404, {}, 'Not Found'), now).kind).toBe('gone');
    expect(classifyGitHubFailure(refusal(401, {}, 'Bad credentials'), now).kind).toBe('token');
    expect(classifyGitHubFailure(refusal(422, {}, 'Validation Failed'), now).kind).toBe('refused');
  });
});
