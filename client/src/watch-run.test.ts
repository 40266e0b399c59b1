import { expect, test } from 'vitest';
import type { RunProgress } from './operations/run.ts';
import { type ClientError, refused, type Sent } from './send-operation.ts';
import { watchRun } from './watch-run.ts';

const at = (finishedCases: number, isEnded = false, poolsWithoutRunners: string[] = []): Sent<RunProgress | null> => ({
  ok: true,
  answer: {
    status: isEnded ? 'completed' : 'running',
    totalCases: 150,
    finishedCases,
    totalSuiteRuns: 3,
    finishedSuiteRuns: isEnded ? 3 : 1,
    poolsWithoutRunners,
    isEnded,
  },
});
const down = refused('UNREACHABLE', 'down', { isTransient: true });

async function watch(answers: Sent<RunProgress | null>[], { timeoutMs = 3_600_000, abortAfter = -1 } = {}) {
  let nowMs = 0;
  const lines: string[] = [];
  const pauses: number[] = [];
  const interruption = new AbortController();
  const ports = {
    pollMs: 2000,
    write: (line: string) => void lines.push(line),
    now: () => nowMs,
    pause: async (ms: number) => {
      pauses.push(ms);
      nowMs += ms;
      if (pauses.length === abortAfter) interruption.abort();
    },
    signal: interruption.signal,
  };
  const runProgress = async () => answers.shift() ?? down;
  const watched = await watchRun({ ports, client: { runProgress }, runId: 'r', timeoutMs });
  return { watched, lines, pauses };
}

test('one line per change, and the looks become rarer', async () => {
  const { watched, lines, pauses } = await watch([at(0), at(0), at(34), at(34), at(34), at(34), at(34), at(150, true)]);
  expect(watched).toEqual({ kind: 'ended' });
  expect(lines).toEqual([
    '0/150 test runs, 1 of 3 suite runs done',
    '34/150 test runs, 1 of 3 suite runs done',
    '150/150 test runs, 3 of 3 suite runs done',
  ]);
  expect(pauses).toEqual([2000, 3000, 4500, 6750, 10_000, 10_000, 10_000]);
});

test('says what nobody is there for, until somebody is', async () => {
  const { lines } = await watch([at(0, false, ['default']), at(0, false, ['gpu', 'eu']), at(0), at(150, true)]);
  expect(lines).toEqual([
    '0/150 test runs, 1 of 3 suite runs done, no runners connected',
    '0/150 test runs, 1 of 3 suite runs done, no runners connected to the pools gpu, eu',
    '0/150 test runs, 1 of 3 suite runs done',
    '150/150 test runs, 3 of 3 suite runs done',
  ]);
});

test('a coordinator that is silent for less than 5 minutes is waited for', async () => {
  const { watched, lines } = await watch([at(1), ...Array.from({ length: 25 }, () => down), at(150, true)]);
  expect(watched).toEqual({ kind: 'ended' });
  expect(lines).toContain('Waiting for the coordinator: down');
});

test('after 5 silent minutes it is lost', async () => {
  expect((await watch([at(1)])).watched).toEqual({ kind: 'lost', message: 'down' });
});

test('a refusal is not waited for', async () => {
  const forbidden: { ok: false; error: ClientError } = refused('FORBIDDEN', 'no rights');
  expect((await watch([at(1), forbidden])).watched).toEqual({ kind: 'refused', message: 'no rights' });
  expect((await watch([{ ok: true, answer: null }])).watched.kind).toBe('refused');
});

test('waiting ends with the time that was given, before another pause would exceed it', async () => {
  const { watched, pauses } = await watch([at(1), at(1), at(1), at(1)], { timeoutMs: 6000 });
  expect(watched).toEqual({ kind: 'timeout' });
  expect(pauses).toEqual([2000, 3000]);
});

test('a cancelled job looks no more', async () => {
  const { watched, pauses } = await watch([at(1), at(1)], { abortAfter: 1 });
  expect(watched).toEqual({ kind: 'interrupted' });
  expect(pauses).toHaveLength(1);
});
