import { setTimeout as wait } from 'node:timers/promises';
import type { ModelPort } from '../models/model-port.ts';
import { pause } from '../retry/pause.ts';

const points = [
  'after_claim_before_ack',
  'before_model_call',
  'mid_model_call',
  'after_answer_before_publish',
  'after_publish_before_confirm',
  'on_heartbeat',
] as const;
type ChaosPoint = (typeof points)[number];

const actions = {
  kill: () => void process.kill(process.pid, 'SIGKILL'),
  stop: () => void process.kill(process.pid, 'SIGSTOP'),
  throw: (_ms: number, point: ChaosPoint) => {
    throw new Error(`chaos at ${point}`);
  },
  delay: (ms: number) => wait(ms),
  block: (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
} as const satisfies Record<string, (ms: number, point: ChaosPoint) => unknown>;

const entryShape =
  /^(?<point>\w+)(?::(?<nth>[1-9]\d*))?(?::(?<action>kill|stop|throw|(?:delay|block)(?==))(?:=(?<ms>\d+))?)?$/;

interface ChaosEntry {
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

/** Long enough that the request has left. The answer is held back until then, so the call is still in its middle. */
const midCallMs = 250;

/** The same models with the kill points around every call; the models themselves when none of these points is armed. */
export function withChaos(models: ModelPort, chaos: Chaos): ModelPort {
  if (!chaos.isArmed('before_model_call') && !chaos.isArmed('mid_model_call')) return models;
  const around = async <T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    await chaos.at('before_model_call');
    const answer = call();
    await Promise.all([answer, pause(midCallMs, signal).then(() => chaos.at('mid_model_call'))]);
    return answer;
  };
  return {
    chat: (settings, request, signal) => around(() => models.chat(settings, request, signal), signal),
    embed: (settings, inputs, signal) => around(() => models.embed(settings, inputs, signal), signal),
  };
}
