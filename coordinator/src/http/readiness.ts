import { sql } from 'kysely';
import { asWorker, type Database } from '../database/connect.ts';
import type { LoopState } from '../upkeep/run-loops.ts';

const writeWithinMs = 1000;
const silenceMs = 15_000;
const topologyAgeMs = 60_000;
const mostPeriods = 3;
/** A loop with a short rest still needs time for its pass. */
const leastLoopAgeMs = 10_000;
const watched: ReadonlySet<string> = new Set(['reaper', 'publisher', 'verdicts']);

export interface ReadinessPorts {
  database: Database;
  isBrokerConnected: () => boolean;
  collector: { lastSignMs: () => number; isBusy: () => boolean };
  loops: () => readonly LoopState[];
  isDraining: () => boolean;
}

export interface Readiness {
  isReady: boolean;
  problems: string[];
  /** Working, but not at its best. */
  degraded: string[];
}

/** Whether this replica can do its work now, tried and not guessed. A broker that is away alone leaves it ready. */
export async function checkReadiness(ports: ReadinessPorts, nowMs: number): Promise<Readiness> {
  const problems: string[] = [];
  const degraded: string[] = [];
  if (ports.isDraining()) problems.push('draining');
  if (!(await canWrite(ports.database))) problems.push('ledger does not take writes');
  if (!ports.isBrokerConnected()) degraded.push('nats');
  else problems.push(...dispatchProblems(ports, nowMs));
  problems.push(
    ...ports.loops().flatMap((loop) => (watched.has(loop.name) && isLate(loop, nowMs) ? [`${loop.name} is late`] : [])),
  );
  return { isReady: problems.length === 0, problems, degraded };
}

function dispatchProblems({ collector, loops }: ReadinessPorts, nowMs: number): string[] {
  const problems: string[] = [];
  if (nowMs - collector.lastSignMs() > silenceMs) problems.push('results are not read');
  const topology = loops().find(({ name }) => name === 'topology');
  if (topology !== undefined && nowMs - (topology.lastRunMs ?? 0) > topologyAgeMs)
    problems.push('topology is not checked');
  return problems;
}

function isLate({ everyMs, lastRunMs }: LoopState, nowMs: number): boolean {
  return nowMs - (lastRunMs ?? 0) > Math.max(everyMs * mostPeriods, leastLoopAgeMs);
}

async function canWrite(database: Database): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), writeWithinMs);
  const trial = asWorker(database, async (em) => {
    await sql`insert into coordinator_beats (id, beat_at) values ('readyz', 'epoch') on conflict (id) do update set beat_at = 'epoch'`.execute(
      em.getKysely(),
    );
    return true as const;
  }).catch(() => false as const);
  try {
    return await Promise.race([trial, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
