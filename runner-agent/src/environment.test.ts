import { expect, test } from 'vitest';
import { readRunnerEnvironment } from './environment.ts';

test('a runner needs nothing but NATS_URL', () => {
  const read = readRunnerEnvironment({ NATS_URL: 'nats://127.0.0.1:4222', PROOFMARK_SLOTS: '' });
  expect(read).toMatchObject({
    ok: true,
    environment: { PROOFMARK_POOLS: ['default'], PROOFMARK_SLOTS: 8, PROOFMARK_CHAOS_AT: [] },
  });
});

test('every wrong value is named at once', () => {
  const read = readRunnerEnvironment({
    PROOFMARK_SLOTS: '0',
    PROOFMARK_RUNNER_ID: 'a.b',
    PROOFMARK_CHAOS_AT: 'before_run_commit',
    OPENAI_BASE_URL: 'nonsense',
  });
  expect(read.ok ? [] : read.problems.map((problem) => problem.split(':')[0])).toEqual([
    'NATS_URL',
    'PROOFMARK_RUNNER_ID',
    'PROOFMARK_SLOTS',
    'PROOFMARK_CHAOS_AT',
    'OPENAI_BASE_URL',
  ]);
  expect(read.ok ? [] : read.problems).toEqual(
    expect.arrayContaining([
      'NATS_URL: is missing; it must be like nats://host:4222; several servers are separated by commas',
      'PROOFMARK_RUNNER_ID: "a.b" must be 1 to 64 letters, digits, "-" or "_", such as runner-1',
      'PROOFMARK_SLOTS: "0" must be a whole number from 1 to 1000, such as 8',
    ]),
  );
});

test('programs of agents get another user from a runner that is root, and elsewhere run only where their reading its keys is allowed by name', () => {
  const given = { NATS_URL: 'nats://127.0.0.1:4222', PROOFMARK_ALLOW_COMMAND_AGENTS: 'true' };
  expect(readRunnerEnvironment(given, 0)).toMatchObject({ ok: true, environment: { programs: { userId: 65_534 } } });
  expect(readRunnerEnvironment(given, 1000)).toEqual({
    ok: false,
    problems: [
      expect.stringMatching(/^PROOFMARK_ALLOW_COMMAND_AGENTS: .* or say PROOFMARK_COMMAND_AGENTS_SHARE_KEYS=1$/),
    ],
  });
  const shared = readRunnerEnvironment({ ...given, PROOFMARK_COMMAND_AGENTS_SHARE_KEYS: 'true' }, 1000);
  expect(shared.ok && shared.environment.programs).not.toHaveProperty('userId');
});
