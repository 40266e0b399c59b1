import type { Logger } from 'pino';

type Counts = Readonly<Record<string, number>>;

/** A chore: what it does in one pass, and how long it rests afterwards. Every replica runs it; it is safe to run twice. */
export interface Loop {
  name: string;
  /** Milliseconds between two passes; may depend on what the last one found. */
  every: number | ((last: Counts) => number);
  run: (signal: AbortSignal) => Promise<Counts>;
  /** Waits for what passes have begun and not waited for. */
  settled?: () => Promise<void>;
}

export interface LoopState {
  name: string;
  /** The longest rest by plan. */
  everyMs: number;
  /** When a pass last ended well, on the monotonic clock; null before the first. */
  lastRunMs: number | null;
  /** When the pass that is under way began; null while the loop rests. */
  beganMs: number | null;
  isFailing: boolean;
}

export interface Loops extends AsyncDisposable {
  states: () => LoopState[];
  /** Starts the next pass of a loop now, or right after the one that is running. */
  wake: (name: string) => void;
  /** Lets running passes end, with what they have begun, and starts no more. */
  stop: () => Promise<void>;
}

/** A pass that has ended. */
export interface Pass {
  /** Null: it failed. */
  counts: Counts | null;
  seconds: number;
}

type RunOptions = {
  log: Logger;
  /** From 0 to 1: spreads the passes of several replicas. */
  random: () => number;
  onPass: (name: string, pass: Pass) => void;
};

const jitter = 0.2;

/** Runs every loop until it is stopped. A pass that fails is logged, and the next one comes at its usual time. */
export function runLoops(loops: readonly Loop[], options: RunOptions): Loops {
  const stopping = new AbortController();
  const running = loops.map((loop) => runLoop(loop, options, stopping.signal));
  const stop = async () => {
    stopping.abort();
    for (const { wake } of running) wake();
    await Promise.all(running.map(({ ended }) => ended));
  };
  return {
    states: () => running.map(({ state }) => ({ ...state })),
    wake: (name) => running.find(({ state }) => state.name === name)?.wake(),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

interface Running {
  state: LoopState;
  wake: () => void;
  ended: Promise<void>;
}

function runLoop(
  { name, every, run, settled }: Loop,
  { log, random, onPass }: RunOptions,
  signal: AbortSignal,
): Running {
  const restAfter = (counts: Counts) => (typeof every === 'number' ? every : every(counts));
  const state: LoopState = { name, everyMs: restAfter({}), lastRunMs: null, beganMs: null, isFailing: false };
  const alarm = alarmClock();
  const pass = async (): Promise<Counts> => {
    const beganMs = performance.now();
    state.beganMs = beganMs;
    const ended = (counts: Counts | null) => onPass(name, { counts, seconds: (performance.now() - beganMs) / 1000 });
    try {
      const counts = await run(signal);
      ended(counts);
      Object.assign(state, { lastRunMs: performance.now(), isFailing: false });
      return counts;
    } catch (error) {
      // The first failure tells what happened; the same again every second would bury it.
      log[state.isFailing ? 'debug' : 'warn']({ error, loop: name }, 'A pass failed and will be repeated');
      state.isFailing = true;
      ended(null);
      return {};
    } finally {
      state.beganMs = null;
    }
  };
  const ended = (async () => {
    while (!signal.aborted) {
      const counts = await pass();
      if (!signal.aborted) await alarm.rest(restAfter(counts) * (1 - jitter + 2 * jitter * random()));
    }
    await settled?.();
  })();
  return { state, wake: alarm.ring, ended };
}

/** A rest that a ring ends; a ring before the rest makes it end at once. */
function alarmClock(): { rest: (ms: number) => Promise<void>; ring: () => void } {
  let bell = Promise.withResolvers<void>();
  return {
    ring: () => bell.resolve(),
    rest: async (ms) => {
      const timer = setTimeout(() => bell.resolve(), ms);
      await bell.promise;
      clearTimeout(timer);
      bell = Promise.withResolvers<void>();
    },
  };
}
