import { setTimeout as pause } from 'node:timers/promises';

const points = [
  'before_run_commit',
  'after_run_commit',
  'after_publish_before_mark',
  'after_claim_commit_before_reply',
  'after_insert_before_commit',
  'after_commit_before_ack',
  'before_finalize_commit',
  'after_finalize_commit',
  'after_forge_write_before_mark',
  'after_reap_commit',
  'in_migration',
] as const;
export type ChaosPoint = (typeof points)[number];

type Action = { kind: 'kill' | 'stop' | 'throw' } | { kind: 'delay' | 'block'; ms: number };
interface Plan {
  /** On which pass of the point it happens, counted from 1. */
  nth: number;
  action: Action;
}

const plans = new Map<ChaosPoint, Plan>();
const passes = new Map<ChaosPoint, number>();

/** Arms `PROOFMARK_CHAOS_AT` (`point[:nth[:action]][,…]`) and returns what is wrong with it, or null. An empty text arms nothing. */
export function armChaos(text: string): string | null {
  plans.clear();
  passes.clear();
  const parsed = parseChaos(text);
  if (typeof parsed === 'string') return parsed;
  for (const [point, plan] of parsed) plans.set(point, plan);
  return null;
}

/** What is to happen at which point, or what is wrong with the text. */
export function parseChaos(text: string): ReadonlyMap<ChaosPoint, Plan> | string {
  const wanted = new Map<ChaosPoint, Plan>();
  for (const entry of text.split(',').filter((part) => part !== '')) {
    const [name = '', nth = '1', ...action] = entry.split(':');
    const point = points.find((known) => known === name);
    const parsed = parseAction(action.join(':') || 'kill');
    if (point === undefined) return `"${name}" is no kill point; known are ${points.join(', ')}`;
    if (!/^[1-9]\d*$/.test(nth)) return `"${nth}" in "${entry}" is not a count from 1`;
    if (parsed === null) return `"${entry}" names no action; use kill, stop, throw, delay=<ms> or block=<ms>`;
    wanted.set(point, { nth: Number(nth), action: parsed });
  }
  return wanted;
}

/** The armed points, for the log line at start and for `/readyz`. */
export const armedChaos = (): ChaosPoint[] => [...plans.keys()];

function parseAction(text: string): Action | null {
  if (text === 'kill' || text === 'stop' || text === 'throw') return { kind: text };
  const timed = /^(delay|block)=(\d+)$/.exec(text);
  if (timed === null) return null;
  return { kind: timed[1] === 'delay' ? 'delay' : 'block', ms: Number(timed[2]) };
}

/** A place where a test may make this process fail. Does nothing unless the point is armed. */
export async function chaosPoint(point: ChaosPoint): Promise<void> {
  const plan = plans.get(point);
  if (plan === undefined) return;
  const pass = (passes.get(point) ?? 0) + 1;
  passes.set(point, pass);
  if (pass === plan.nth) await act(point, plan.action);
}

async function act(point: ChaosPoint, action: Action): Promise<void> {
  switch (action.kind) {
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      return;
    case 'stop':
      process.kill(process.pid, 'SIGSTOP');
      return;
    case 'throw':
      throw new Error(`chaos at ${point}`);
    case 'delay':
      await pause(action.ms);
      return;
    case 'block':
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, action.ms);
  }
}
