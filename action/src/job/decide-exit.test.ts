import { expect, test } from 'vitest';
import { decideExit, type JobEnding } from './decide-exit.ts';

const ended = (
  conclusion: 'success' | 'neutral' | 'failure' | 'cancelled' | 'timed_out' | 'action_required',
): JobEnding => ({
  kind: 'ended',
  outcome: 'unchanged',
  conclusion,
});
const invalid: JobEnding = { kind: 'ended', outcome: 'invalid', conclusion: 'failure' };

const failOns = ['never', 'error', 'failure', 'neutral', 'auto'] as const;
const exits = (ending: JobEnding, reportMode: 'app' | 'summary' = 'summary', onError: 'block' | 'allow' = 'block') =>
  failOns.map((failOn) => decideExit(ending, { failOn, onError, reportMode })).join('');

test.for<[string, JobEnding, string]>([
  ['a refused event', { kind: 'refused' }, '11111'],
  ['nothing to do', { kind: 'nothing' }, '00000'],
  ['trouble', { kind: 'trouble' }, '01111'],
  ['an unreachable coordinator', { kind: 'unreachable' }, '01111'],
  ['invalid definitions', invalid, '01111'],
  ['a failed check', ended('failure'), '00111'],
  ['a check that timed out', ended('timed_out'), '00111'],
  ['a neutral check', ended('neutral'), '00010'],
  ['success', ended('success'), '00000'],
  ['a cancelled run', ended('cancelled'), '00000'],
  ['a run that waits for approval', ended('action_required'), '00000'],
  ['waiting too long', { kind: 'pending', isWanted: false }, '01111'],
])('%s is red with never, error, failure, neutral, auto: %s', ([, ending, expected]) => {
  expect(exits(ending)).toBe(expected);
});

test('with the App the check is the gate: auto is error, and waiting too long is fine', () => {
  expect(exits(ended('failure'), 'app')).toBe('00110');
  expect(exits(invalid, 'app')).toBe('01111');
  expect(exits({ kind: 'pending', isWanted: false }, 'app')).toBe('00000');
});

test('on-error: allow lets a coordinator be unreachable', () => {
  expect(exits({ kind: 'unreachable' }, 'summary', 'allow')).toBe('00000');
});
