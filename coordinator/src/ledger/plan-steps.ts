import type { EntityManager } from '@mikro-orm/postgresql';
import { trialSeed } from '@proofmark/contracts/content-hash';
import { chunkSize } from '@proofmark/domain/cut-chunks';
import { type RawBuilder, sql } from 'kysely';
import { shareContents } from '../database/contents-lock.ts';
import { oneAhead } from '../database/one-ahead.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { rowId } from '../database/row-id.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import { whenSent } from '../database/unnest.ts';
import { type Fleets, fleetsOf } from './fleet.ts';
import { type PlannedLine, type QueuePlan, readPlanLines, writePlanLines } from './plan-lines.ts';
import { type QueuedTestRun, storeChunks, storeContents } from './store-chunks.ts';

const linesOfPart = 250;
/** Cases or pairs that are queued at once with the run: what the fleet begins with. */
const linesAtOnce = 250;
const linesOfStep = 2000;

interface Storing {
  tenantId: string;
  runId: string;
  runSeed: string;
  plan: QueuePlan;
  fleets: Fleets;
}

interface Part {
  part: number;
  /** As JSON. */
  lines: string;
}

/**
 * Stores what a run has to queue, and queues the beginning of it. The rest follows in steps that any replica takes, so that
 * no transaction grows with the run and nobody waits for more than its beginning.
 */
export async function storeQueuePlan(em: EntityManager, { plan, fleets, ...run }: Storing): Promise<void> {
  const { tenantId, runId, runSeed } = run;
  const { total, settings, lines } = plan;
  if (lines.length === 0) return;
  const kysely = em.getKysely();
  const parts = slices(lines, linesOfPart);
  const rounds = lines.reduce((most, line) => Math.max(most, ...line.map(({ last }) => last)), 1);
  const start = {
    round: lines.reduce((least, line) => Math.min(least, ...line.map(({ first }) => first)), rounds),
    part: 0,
  };
  const read = async ({ part }: Cursor, most: number) => parts.slice(part, part + most);
  const sizeOf = (pool: string) => chunkSize(total, fleets(pool));
  const queueing = { ...run, settings, sizeOf, parts: parts.length, rounds };
  const { next } = await queueNext(em, queueing, { start, read, mostLines: linesAtOnce });
  if (next === null) return;
  await sql`
    insert into queue_plans (tenant_id, run_id, run_seed, total, settings, parts, rounds, round, part)
    values (${tenantId}, ${runId}, ${runSeed}, ${total}, ${JSON.stringify([...settings])}, ${parts.length}, ${rounds},
      ${next.round}, ${next.part})`.execute(kysely);
  // Each part becomes JSON when it is sent: all of a large run at once would be as large again as the run.
  await oneAhead(parts.entries(), ([part, of]) =>
    sql`
      insert into queue_plan_parts (tenant_id, run_id, part, lines)
      values (${tenantId}, ${runId}, ${part}, ${whenSent(() => writePlanLines(of))})`.execute(kysely),
  );
}

interface Cursor {
  round: number;
  part: number;
}

interface Queueing extends Omit<Storing, 'plan' | 'fleets'>, Pick<QueuePlan, 'settings'> {
  /** Test runs that travel together to the runners of a pool. */
  sizeOf: (pool: string) => number;
  parts: number;
  rounds: number;
}

interface Portion {
  start: Cursor;
  /** The next parts, as many as there are and may be read. */
  read: (from: Cursor, mostParts: number) => Promise<(readonly PlannedLine[])[]>;
  mostLines: number;
}

/** Queues from the cursor on, the parts of a round one after the other, then the next round. Where it went on is null at the end of the plan. */
async function queueNext(
  em: EntityManager,
  queueing: Queueing,
  { start, read, mostLines }: Portion,
): Promise<{ queued: number; next: Cursor | null }> {
  let next: Cursor | null = start;
  let queued = 0;
  let largestPart = 0;
  for (let looked = 0; next !== null && looked + largestPart <= mostLines; ) {
    const at: Cursor = next;
    const parts = await read(at, Math.max(1, Math.floor((mostLines - looked) / linesOfPart)));
    queued += await queueLines(em, queueing, { at, lines: parts.flat() });
    looked += parts.flat().length;
    largestPart = Math.max(largestPart, parts[0]?.length ?? mostLines);
    next = after(at, { ...queueing, taken: Math.max(parts.length, 1) });
  }
  return { queued, next };
}

function after({ round, part }: Cursor, { taken, parts, rounds }: Queueing & { taken: number }): Cursor | null {
  if (part + taken < parts) return { round, part: part + taken };
  return round < rounds ? { round: round + 1, part: 0 } : null;
}

/** SQL: the run of `suiteRun` is queued as a whole. Before that its chunks say nothing about what is open. */
export const isQueued = (suiteRun: RawBuilder<unknown>): RawBuilder<boolean> => sql`
  not exists (select from queue_plans n where n.tenant_id = ${suiteRun}.tenant_id and n.run_id = ${suiteRun}.run_id)`;

interface PlanRow extends Cursor {
  tenantId: string;
  runId: string;
  runSeed: string;
  total: number;
  settings: string;
  parts: number;
  rounds: number;
}

/** Queues the next of one run that is not queued as a whole, some 2,000 cases or pairs; how many test runs, and null when there is no such run. */
export async function planStep(database: Database): Promise<number | null> {
  return retryConflicts(() =>
    asWorker(database, async (em) => {
      const plan = await lockPlan(em);
      if (plan === null) return null;
      const { round, part, total, settings, ...of } = plan;
      await shareContents(em, plan.tenantId);
      const fleets = await fleetsOf(em);
      const queueing = {
        ...of,
        sizeOf: (pool: string) => chunkSize(total, fleets(pool)),
        settings: new Map(JSON.parse(settings) as [string, string][]), // written by `storeQueuePlan`
      };
      const { queued, next } = await queueNext(em, queueing, {
        start: { round, part },
        read: (from, most) => readParts(em, plan, { from, most }),
        mostLines: linesOfStep,
      });
      await moveOn(em, plan, next);
      return queued;
    }),
  );
}

/** The one of which least is queued comes first, so that a small run never waits for a large one. */
async function lockPlan(em: EntityManager): Promise<PlanRow | null> {
  const { rows } = await sql<PlanRow>`
    select tenant_id as "tenantId", run_id as "runId", run_seed as "runSeed", total, settings, parts, rounds, round, part
    from queue_plans order by steps, run_id limit 1 for update skip locked`.execute(em.getKysely());
  return rows[0] ?? null;
}

async function readParts(
  em: EntityManager,
  { tenantId, runId }: PlanRow,
  { from, most }: { from: Cursor; most: number },
): Promise<PlannedLine[][]> {
  const { rows } = await sql<Part>`
    select part, lines from queue_plan_parts
    where tenant_id = ${tenantId} and run_id = ${runId} and part >= ${from.part} order by part limit ${most}`.execute(
    em.getKysely(),
  );
  return rows.map(({ lines }) => readPlanLines(lines));
}

async function moveOn(em: EntityManager, { tenantId, runId }: PlanRow, next: Cursor | null): Promise<void> {
  const kysely = em.getKysely();
  if (next === null) {
    await sql`delete from queue_plans where tenant_id = ${tenantId} and run_id = ${runId}`.execute(kysely);
    return;
  }
  await sql`
    update queue_plans set round = ${next.round}, part = ${next.part}, steps = steps + 1
    where tenant_id = ${tenantId} and run_id = ${runId}`.execute(kysely);
}

/** What all lines have in this round becomes chunks. What they share is stored with their first one. */
async function queueLines(
  em: EntityManager,
  { tenantId, runId, sizeOf, ...of }: Queueing,
  { at: { round, part }, lines }: { at: Cursor; lines: readonly PlannedLine[] },
): Promise<number> {
  const testRuns = lines.flatMap((line, index) =>
    testRunsOf(line, { ...of, round, position: part * linesOfPart + index }),
  );
  if (testRuns.length === 0) return 0;
  const isNew = lines.some((line) => line.some(({ first }) => first === round));
  if (isNew) {
    const shared = testRuns.flatMap(({ parts: { setting, case: asked } }) => [setting, asked]);
    await storeContents(em, tenantId, shared);
  }
  await storeChunks(em, { tenantId, runId, testRuns, sizeOf });
  return testRuns.length;
}

interface InRound extends Pick<Queueing, 'runSeed' | 'settings'> {
  round: number;
  position: number;
}

function testRunsOf(line: PlannedLine, { runSeed, settings, round, position }: InRound): QueuedTestRun[] {
  const sides = line.filter(({ first, last }) => first <= round && round <= last);
  const pairKey = sides.length > 1 ? String(position) : null;
  return sides.map(({ suiteRunId, testCaseId, line: at, testRun, shared, case: part, contents = [] }) => {
    const { caseName, sortOrder, caseKey, caseHash } = testRun;
    const { variant, setting, instrumentHash, resolvedVariables } = shared;
    return {
      ...{ id: rowId(), suiteRunId, variant, testCaseId, line: at, pairKey, position, contents },
      testRun: { caseName, sortOrder, repetition: round, caseKey, caseHash, instrumentHash, resolvedVariables },
      seed: trialSeed(runSeed, caseKey, round),
      parts: { setting: { hash: setting, json: settings.get(setting) ?? '' }, case: part },
    };
  });
}

const slices = <Row>(rows: readonly Row[], size: number): Row[][] =>
  Array.from({ length: Math.ceil(rows.length / size) }, (_, index) => rows.slice(index * size, (index + 1) * size));
