import type { StartRequest } from '@proofmark/contracts/start-run-input';
import { expect, test } from 'vitest';
import type { Refusal, StartedRun } from './operations/refusal.ts';
import { refused, type Sent } from './send-operation.ts';
import { sendRun } from './send-run.ts';

const input: StartRequest = { idempotencyKey: 'k', trigger: { triggeredBy: 'CI' }, files: [], suitePaths: [] };
const started: StartedRun = { ok: true, runId: 'r', created: true, isDelayed: false, hasApp: false, warnings: [] };
const refusal: Refusal = {
  code: 'RATE_LIMITED',
  message: 'too many runs are open',
  problems: [],
  arguments: [],
  runId: null,
  retryAfterMs: 20_000,
};

/** Sends a run to a coordinator that says these things, the last of them for ever. */
async function send(answers: Sent<StartedRun>[], run: StartRequest = input) {
  let nowMs = 0;
  const said: string[] = [];
  const asked: StartRequest[] = [];
  const sent = await sendRun({
    client: {
      startRun: async (one) => {
        asked.push(one);
        return answers.length > 1 ? (answers.shift() ?? refused('NONE', '')) : (answers[0] ?? refused('NONE', ''));
      },
      uploadBlob: async () => ({ ok: true, answer: { created: true } }),
    },
    input: run,
    readFile: async () => null,
    patienceMs: 60_000,
    now: () => nowMs,
    pause: async (ms) => {
      nowMs += ms;
    },
    signal: new AbortController().signal,
    onWait: (message) => said.push(message),
  });
  return { sent, said, asked, nowMs };
}

test('a coordinator that has too much to do is asked again when it says so, with the same key', async () => {
  const busy = { ok: true as const, answer: { ok: false as const, refusal } };
  const { sent, said, asked } = await send([busy, busy, { ok: true, answer: started }]);
  expect(sent).toEqual(started);
  expect(said).toEqual(['too many runs are open', 'too many runs are open']);
  expect(asked.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['k', 'k', 'k']);
});

test('its refusal is the answer once another pause would take too long', async () => {
  const { sent, nowMs } = await send([{ ok: true, answer: { ok: false, refusal } }]);
  expect(sent).toEqual({ ok: false, reason: 'refused', refusal });
  expect(nowMs).toBe(40_000);
});

test('definitions that no coordinator would take are not sent', async () => {
  const files = [{ path: 'x.suite.yaml', text: 'ä'.repeat(4 * 1024 * 1024) }];
  const { sent, asked } = await send([{ ok: true, answer: started }], { ...input, files });
  expect(sent).toMatchObject({
    ok: false,
    reason: 'too-large',
    message: expect.stringMatching(/8387584: run fewer suites/),
  });
  expect(asked).toEqual([]);
});

test('nobody there is told as such', async () => {
  const down = refused('UNREACHABLE', 'down', { isTransient: true });
  expect((await send([down])).sent).toEqual({ ok: false, reason: 'not-sent', error: down.error });
});
