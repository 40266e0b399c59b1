import { type Buckets, type CallLimits, giveTurns, type Holder, slowDownAll } from '@proofmark/domain/call-limits';
import { describe, expect, test } from 'vitest';
import { FleetSource } from './fleet-source.ts';
import { PermitQueue } from './permit-queue.ts';
import { toldTime } from './told-time.fixture.ts';

const roundTripMs = 4;

interface Call {
  runner: number;
  atMs: number;
  endMs: number;
  tokens: number;
}

/**
 * A fleet whose runners all want more than they may, and a coordinator that decides as the real one does. Answers take their
 * time, calls too, and each takes other tokens than anybody could guess.
 */
function fleet(
  runners: number,
  limits: CallLimits,
  { callers = 400, callMs = 300, guess = 800, tokensOfCall = (random: () => number) => 200 + random() * 1_600 } = {},
) {
  const time = toldTime();
  const after = (ms: number) => new Promise<void>((resolve) => time.ring(ms, resolve));
  const state = {
    buckets: {} as Buckets,
    holders: Array.from({ length: runners }, (): Holder => ({ held: 0, wants: 0 })),
  };
  const calls: Call[] = [];
  let questions = 0;
  let roll = 1;
  const random = () => {
    roll = (Math.imul(roll, 1_664_525) + 1_013_904_223) >>> 0;
    return roll / 4_294_967_296;
  };
  const stop = new AbortController();
  const queues = state.holders.map((_, runner) => {
    const source = new FleetSource(limits, {
      fleetSize: () => runners,
      monotonicMs: time.monotonicMs,
      ask: async (ask) => {
        questions += 1;
        await after(roundTripMs / 2);
        if (ask.kind === 'slow-down') {
          state.buckets = slowDownAll(limits, state.buckets, ask.pauseMs, time.monotonicMs());
          await after(roundTripMs / 2);
          return { ledger: 'up', granted: 0, firstMs: 0, spacingMs: 0, againMs: 0 };
        }
        const { want, cost = 0, settle = 0, holds = 0, wants = 0 } = ask;
        const asked = { want, cost, settle, holds, wants };
        const taken = giveTurns(limits, { ...state, at: runner }, asked, time.monotonicMs());
        state.buckets = taken.buckets;
        state.holders[runner] = { held: taken.given.held, wants };
        await after(roundTripMs / 2);
        return { ledger: 'up', ...taken.given };
      },
    });
    return new PermitQueue(source, { limits, cost: guess }, time);
  });
  const caller = async (runner: number): Promise<void> => {
    const queue = queues[runner];
    while (queue !== undefined && !stop.signal.aborted) {
      const turn = await queue.turn(stop.signal);
      const call = {
        runner,
        atMs: time.monotonicMs(),
        endMs: Number.POSITIVE_INFINITY,
        tokens: tokensOfCall(random),
      };
      calls.push(call);
      await after(callMs * (0.5 + random()));
      call.endMs = time.monotonicMs();
      queue.ended(turn, call.tokens);
    }
  };
  const callersOf = (runner: number) =>
    Array.from({ length: Math.ceil(callers / runners) }, () => caller(runner).catch(() => undefined));
  return {
    ...time,
    queues,
    calls,
    questions: () => questions,
    begin: (runner?: number) =>
      void (runner === undefined ? state.holders.flatMap((_, at) => callersOf(at)) : callersOf(runner)),
    end: () => stop.abort(new Error('over')),
    /** Calls that began, and tokens of those that ended, in a time. */
    between: (fromMs: number, toMs: number) => ({
      calls: calls.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).length,
      tokens: calls.filter(({ endMs }) => endMs >= fromMs && endMs < toMs).reduce((sum, { tokens }) => sum + tokens, 0),
    }),
    /** The most calls that were under way at the same time, and how many there were on average. */
    underWay: (fromMs: number, toMs: number) => {
      const steps = calls.flatMap(({ atMs, endMs }) => [
        { atMs, by: 1 },
        { atMs: endMs, by: -1 },
      ]);
      let [now, most, area, lastMs] = [0, 0, 0, fromMs];
      for (const { atMs, by } of steps.toSorted((a, b) => a.atMs - b.atMs || a.by - b.by)) {
        if (atMs > toMs) break;
        if (atMs > lastMs) [area, lastMs] = [area + now * (atMs - lastMs), atMs];
        now += by;
        if (atMs >= fromMs) most = Math.max(most, now);
      }
      return { most, mean: area / (toMs - fromMs) };
    },
  };
}

const minuteMs = 60_000;
/** Until the guesses have settled. */
const warmMs = 5_000;
const patient = { timeout: 120_000 };

describe.each([1, 2, 8])('%i runners that want more than they may', (runners) => {
  test('make as many calls in a minute as the limit says, 2 % at most away from it', patient, async () => {
    const { begin, end, pass, monotonicMs, between, questions } = fleet(runners, {
      requests: { perSecond: 50, burst: 1 },
    });
    begin();
    await pass(warmMs);
    const [fromMs, before] = [monotonicMs(), questions()];
    await pass(minuteMs / 2);
    const made = between(fromMs, monotonicMs()).calls;
    expect(Math.abs(made - 1_500)).toBeLessThanOrEqual(30);
    // Turns come in batches: without, each call would be a question.
    expect(questions() - before).toBeLessThan(made);
    end();
  });

  test('use as many tokens in a minute as the limit says, whatever a call takes', patient, async () => {
    const tokensPerSecond = 40_000;
    const { begin, end, pass, monotonicMs, between } = fleet(runners, { tokensPerSecond });
    begin();
    await pass(warmMs);
    const fromMs = monotonicMs();
    await pass(minuteMs);
    const { tokens } = between(fromMs, monotonicMs());
    expect(tokens / (tokensPerSecond * 60)).toBeGreaterThanOrEqual(0.98);
    expect(tokens / (tokensPerSecond * 60)).toBeLessThanOrEqual(1.02);
    end();
  });

  test('never have more calls under way than the limit says, and nearly always so many', patient, async () => {
    const { begin, end, pass, monotonicMs, underWay, questions } = fleet(runners, { inFlight: 40 });
    begin();
    await pass(warmMs);
    const [fromMs, before] = [monotonicMs(), questions()];
    await pass(minuteMs / 4);
    const { most, mean } = underWay(fromMs, monotonicMs());
    expect(most).toBeLessThanOrEqual(40);
    expect(mean).toBeGreaterThanOrEqual(0.9 * 40);
    // Who has its share asks once a second whether it still has.
    expect(questions() - before).toBeLessThanOrEqual(runners * 20);
    end();
  });

  test('keep to all limits together', patient, async () => {
    const limits = { requests: { perSecond: 50, burst: 1 }, tokensPerSecond: 200_000, inFlight: 20 };
    const { begin, end, pass, monotonicMs, underWay, between } = fleet(runners, limits);
    begin();
    await pass(warmMs);
    const fromMs = monotonicMs();
    await pass(minuteMs / 4);
    const made = between(fromMs, monotonicMs()).calls;
    expect(made).toBeLessThanOrEqual(750 * 1.02);
    expect(made).toBeGreaterThanOrEqual(750 * 0.9);
    expect(underWay(fromMs, monotonicMs()).most).toBeLessThanOrEqual(20);
    end();
  });
});

test('what a call takes is known when the first calls have ended, however wrong the first guess was', async () => {
  const limits = { tokensPerSecond: 4_900 };
  const { begin, end, pass, monotonicMs, between } = fleet(1, limits, { guess: 1_000, tokensOfCall: () => 49 });
  begin();
  await pass(500);
  const learntMs = monotonicMs();
  await pass(1_000);
  // 100 a second are allowed, and what the first calls took too much is there once more.
  expect(between(learntMs, monotonicMs()).calls).toBeGreaterThanOrEqual(100);
  await pass(1_500);
  const settledMs = monotonicMs();
  await pass(10_000);
  expect(Math.abs(between(settledMs, monotonicMs()).calls - 1_000)).toBeLessThanOrEqual(20);
  end();
});

test(
  'a runner that comes later has its share within seconds, and all of it when the others need it no more',
  patient,
  async () => {
    const { begin, pass, monotonicMs, calls, underWay } = fleet(2, { inFlight: 20 });
    begin(0);
    await pass(warmMs);
    begin(1);
    await pass(3_000);
    const fromMs = monotonicMs();
    await pass(10_000);
    const of = (runner: number) => calls.filter((call) => call.runner === runner && call.atMs >= fromMs).length;
    expect(Math.abs(of(0) - of(1))).toBeLessThanOrEqual(0.1 * (of(0) + of(1)));
    expect(underWay(fromMs, monotonicMs()).most).toBeLessThanOrEqual(20);
  },
);

test('a limit of one call serves all runners, one after the other', patient, async () => {
  const { begin, pass, monotonicMs, calls, underWay } = fleet(4, { inFlight: 1 });
  begin();
  await pass(minuteMs);
  expect(new Set(calls.map(({ runner }) => runner)).size).toBe(4);
  expect(underWay(0, monotonicMs()).most).toBe(1);
  expect(underWay(warmMs + 5_000, monotonicMs()).mean).toBeGreaterThanOrEqual(0.9);
});

test.each([
  ['requests', { requests: { perSecond: 50, burst: 1 } }],
  ['tokens', { tokensPerSecond: 50_000 }],
  ['calls under way', { inFlight: 16 }],
])(
  'after a 429 nobody calls during the pause, and then slowly and ever faster: limit on %s',
  patient,
  async (_what, limits) => {
    const { begin, end, pass, monotonicMs, between, queues } = fleet(4, limits);
    begin();
    await pass(10_000);
    const usual = between(monotonicMs() - 5_000, monotonicMs()).calls;
    queues[0]?.slowDown(4_000);
    // Whoever has a turn at this moment may use it; the others hear of it with their next question.
    await pass(1_500);
    const pausedMs = monotonicMs();
    await pass(2_400);
    expect(between(pausedMs, monotonicMs()).calls).toBe(0);
    await pass(1_000);
    const rates: number[] = [];
    for (let step = 0; step < 3; step += 1) {
      const fromMs = monotonicMs();
      await pass(5_000);
      rates.push(between(fromMs, monotonicMs()).calls / usual);
    }
    expect(rates[0]).toBeGreaterThan(0.35);
    expect(rates[0]).toBeLessThan(0.85);
    expect(rates[1]).toBeGreaterThan(rates[0] ?? 1);
    expect(rates[2]).toBeGreaterThan(0.9);
    end();
  },
);
