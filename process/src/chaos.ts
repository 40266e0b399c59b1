import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';

const actions = {
  kill: () => void process.kill(process.pid, 'SIGKILL'),
  stop: () => void process.kill(process.pid, 'SIGSTOP'),
  throw: (_ms: number, point: string) => {
    throw new Error(`chaos at ${point}`);
  },
  delay: (ms: number) => pause(ms),
  block: (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
} as const satisfies Record<string, (ms: number, point: string) => unknown>;

/** What happens where; `ms` is read by delay and block alone. */
export interface ChaosEntry<Point extends string> {
  point: Point;
  /** On which pass of the point it happens, counted from 1. */
  nth: number;
  action: keyof typeof actions;
  ms: number;
}

/**
 * `PROOFMARK_CHAOS_AT`, `point[:nth[:action]][,…]`, for a process with these points: read into a plan. Without a count it is
 * the first pass, without an action kill; an empty text is an empty plan.
 */
export const chaosPlan = <const Point extends string>(points: readonly Point[]) =>
  z
    .string()
    .default('')
    .transform((text, context) => {
      const plan: ChaosEntry<Point>[] = [];
      for (const part of text.split(',').filter((entry) => entry.trim() !== '')) {
        const read = readEntry(part.trim(), points);
        if (typeof read !== 'string') plan.push(read);
        else {
          context.addIssue(`must name a kill point: ${read}`);
          return z.NEVER;
        }
      }
      return plan;
    })
    .describe('Makes the process fail at named places: for tests of reliability only');

/** One entry of a plan, or what is wrong with it. */
function readEntry<Point extends string>(entry: string, points: readonly Point[]): ChaosEntry<Point> | string {
  const [name = '', nth = '1', ...rest] = entry.split(':');
  const point = points.find((known) => known === name);
  const action = readAction(rest.join(':') || 'kill');
  if (point === undefined) return `"${name}" is no kill point; known are ${points.join(', ')}`;
  if (!/^[1-9]\d*$/.test(nth)) return `"${nth}" in "${entry}" is not a count from 1`;
  if (action === null) return `"${entry}" names no action; use kill, stop, throw, delay=<ms> or block=<ms>`;
  return { point, nth: Number(nth), ...action };
}

function readAction(text: string): Pick<ChaosEntry<string>, 'action' | 'ms'> | null {
  if (text === 'kill' || text === 'stop' || text === 'throw') return { action: text, ms: 0 };
  const timed = /^(delay|block)=(\d+)$/.exec(text);
  if (timed === null) return null;
  return { action: timed[1] === 'delay' ? 'delay' : 'block', ms: Number(timed[2]) };
}

/** Places where a test may make this process fail; an empty plan does nothing and costs nothing. */
export class Chaos<Point extends string> {
  readonly #plan: readonly ChaosEntry<Point>[];
  readonly #passes = new Map<Point, number>();

  constructor(plan: readonly ChaosEntry<Point>[]) {
    this.#plan = plan;
  }

  /** The armed points, for the log line at start and for `/readyz`. */
  get points(): Point[] {
    return [...new Set(this.#plan.map(({ point }) => point))];
  }

  isArmed(point: Point): boolean {
    return this.#plan.some((entry) => entry.point === point);
  }

  async at(point: Point): Promise<void> {
    if (!this.isArmed(point)) return;
    const pass = (this.#passes.get(point) ?? 0) + 1;
    this.#passes.set(point, pass);
    const entry = this.#plan.find((candidate) => candidate.point === point && candidate.nth === pass);
    if (entry) await actions[entry.action](entry.ms, point);
  }
}
