import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { asWorker, type Database } from '../database/transactions.ts';
import type { LoopState } from '../upkeep/run-loops.ts';

const tryEveryMs = 1000;
const writeWithinMs = 1000;
const silenceMs = 15_000;
const topologyAgeMs = 60_000;
const mostPeriods = 3;
/** A loop with a short rest still needs time for its pass. */
const leastLoopAgeMs = 10_000;
/** Of a pass that is under way: one large suite may take its time to be judged. */
const longestPassMs = 60_000;
const watched: ReadonlySet<string> = new Set(['planner', 'reaper', 'publisher', 'verdicts']);

export interface ReadinessPorts {
  takesWrites: () => boolean;
  isBrokerConnected: () => boolean;
  collector: { lastSignMs: () => number };
  loops: () => readonly LoopState[];
  isDraining: () => boolean;
}

export interface Readiness {
  isReady: boolean;
  problems: string[];
  /** Working, but not at its best. */
  degraded: string[];
}

/**
 * Whether this replica can do its work now, tried and not guessed: what it costs does not depend on how often somebody
 * asks. A broker that is away alone leaves it ready, and so does a forge.
 */
export function readinessOf(ports: ReadinessPorts, nowMs: number): Readiness {
  const problems: string[] = [];
  const degraded: string[] = [];
  if (ports.isDraining()) problems.push('draining');
  if (!ports.takesWrites()) problems.push('ledger does not take writes');
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

function isLate({ everyMs, lastRunMs, beganMs, isFailing }: LoopState, nowMs: number): boolean {
  const restMs = Math.max(everyMs * mostPeriods, leastLoopAgeMs);
  if (beganMs !== null && !isFailing) return nowMs - beganMs > longestPassMs;
  return nowMs - (lastRunMs ?? 0) > restMs;
}

/** What a second ago was true of the ledger. */
interface LedgerTrial {
  takesWrites: () => boolean;
  stop: () => Promise<void>;
}

/** Writes to the ledger once a second, one trial at a time. It has just been checked, so it is believed to work at first. */
export function tryLedger(database: Database): LedgerTrial {
  let takesWrites = true;
  const stopping = new AbortController();
  const ended = (async () => {
    while (!stopping.signal.aborted) {
      const late = setTimeout(() => {
        takesWrites = false;
      }, writeWithinMs);
      takesWrites = await canWrite(database);
      clearTimeout(late);
      // The end of the process cuts the rest short.
      await pause(tryEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    takesWrites: () => takesWrites,
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}

async function canWrite(database: Database): Promise<boolean> {
  try {
    await asWorker(database, async (em) => {
      await sql`insert into coordinator_beats (id, beat_at) values ('readyz', 'epoch') on conflict (id) do update set beat_at = 'epoch'`.execute(
        em.getKysely(),
      );
    });
    return true;
  } catch {
    return false;
  }
}
