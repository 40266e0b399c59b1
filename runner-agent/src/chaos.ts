import { setTimeout as pause } from 'node:timers/promises';

const points = [
  'after_claim_before_ack',
  'before_model_call',
  'mid_model_call',
  'after_answer_before_publish',
  'after_publish_before_confirm',
  'on_heartbeat',
] as const;
export type ChaosPoint = (typeof points)[number];

const actions = {
  kill: () => void process.kill(process.pid, 'SIGKILL'),
  stop: () => void process.kill(process.pid, 'SIGSTOP'),
  throw: (_ms: number, point: ChaosPoint) => {
    throw new Error(`chaos at ${point}`);
  },
  delay: (ms: number) => pause(ms),
  block: (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
} as const satisfies Record<string, (ms: number, point: ChaosPoint) => unknown>;

const entryShape =
  /^(?<point>\w+)(?::(?<nth>[1-9]\d*))?(?::(?<action>kill|stop|throw|(?:delay|block)(?==))(?:=(?<ms>\d+))?)?$/;

export interface ChaosEntry {
  point: ChaosPoint;
  /** The n-th time that the point is passed, from 1. */
  nth: number;
  action: keyof typeof actions;
  ms: number;
}

/** `PROOFMARK_CHAOS_AT` as a plan, or what is wrong with it. Empty text: an empty plan. */
export function parseChaos(text: string): { ok: true; plan: ChaosEntry[] } | { ok: false; problem: string } {
  const plan: ChaosEntry[] = [];
  for (const part of text.split(',').filter((entry) => entry.trim() !== '')) {
    const { point: name, nth, action, ms } = entryShape.exec(part.trim())?.groups ?? {};
    const point = points.find((known) => known === name);
    if (point === undefined)
      return { ok: false, problem: `"${part}" is no kill point of a runner; those are ${points.join(', ')}` };
    const known = Object.keys(actions) as (keyof typeof actions)[]; // keys of a closed table
    plan.push({
      point,
      nth: Number(nth ?? 1),
      action: known.find((one) => one === action) ?? 'kill',
      ms: Number(ms ?? 0),
    });
  }
  return { ok: true, plan };
}

/** Places where a test may make this process fail; an empty plan does nothing and costs nothing. */
export class Chaos {
  readonly #plan: readonly ChaosEntry[];
  readonly #passes = new Map<ChaosPoint, number>();

  constructor(plan: readonly ChaosEntry[]) {
    this.#plan = plan;
  }

  get points(): ChaosPoint[] {
    return this.#plan.map(({ point }) => point);
  }

  isArmed(point: ChaosPoint): boolean {
    return this.#plan.some((entry) => entry.point === point);
  }

  async at(point: ChaosPoint): Promise<void> {
    if (!this.isArmed(point)) return;
    const pass = (this.#passes.get(point) ?? 0) + 1;
    this.#passes.set(point, pass);
    const entry = this.#plan.find((candidate) => candidate.point === point && candidate.nth === pass);
    if (entry) await actions[entry.action](entry.ms, point);
  }
}
