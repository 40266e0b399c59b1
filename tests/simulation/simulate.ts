import { cutChunks } from '@proofmark/domain/cut-chunks';
import { isOver, type SuiteRun } from '@proofmark/domain/suite-run';
import { cancelRun, startCoordinator } from './coordinator.ts';
import { type RunnerPlace, scheduleFaults } from './faults.ts';
import { Violation } from './invariants.ts';
import { endings } from './memory-ledger.ts';
import { productRules, type Rules } from './rules.ts';
import { Runner } from './runner.ts';
import type { StoredChunk } from './stored.ts';
import { between, chance, LedgerDown, later, makeWorld, Node, pick, send, transact, type World } from './world.ts';

const faultsLastMs = 45_000;
/** From the end of the faults: two leases and what a redelivery and a republication take; a case lasts 9 s at most. */
const healMs = 150_000;
/** What takes its runner with it may do so three times, each noticed after a lease and perhaps the patience of a reaper. */
const deadlyMs = 3 * 70_000;
const runDeadlineMs = 3_600_000;
const soonMs = 60_000;

export interface Story {
  seed: number;
  /** The promise that was broken, where and when; undefined when all held. */
  violation: string | undefined;
  simulatedMs: number;
  /** What happened, so that a story in which nothing did can be told from one that proves something. */
  seen: { rows: number; attempts: number; lost: number; late: number };
}

/** Plays one history: a run or two from their start to their end, with whatever this seed does to the processes meanwhile. */
export function simulate(seed: number, changes: Partial<Rules> = {}, tell?: (line: string) => void): Story {
  const world = makeWorld(seed, { ...productRules, ...changes }, tell);
  const stage = setStage(world);
  let violation: string | undefined;
  try {
    play(world, stage);
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    violation = error.message;
  }
  const { ledger, clock } = world;
  return {
    ...{ seed, violation, simulatedMs: clock.nowMs },
    seen: {
      rows: ledger.rows.size,
      attempts: [...ledger.chunks.values()].reduce((sum, { holders }) => sum + holders.length, 0),
      lost: [...ledger.sessions.values()].filter(({ state }) => state === 'expired').length,
      late: [...ledger.usage.values()].filter(({ accepted }) => !accepted).length,
    },
  };
}

interface Stage {
  endsByMs: number;
}

function setStage(world: World): Stage {
  const { coordinators } = world;
  coordinators.push(new Node('coordinator-1'), new Node('coordinator-2'));
  const runnerCount = chance(world, 0.02) ? 0 : 1 + Math.floor(world.random() * 3);
  const deadly = new Set<string>();
  const runners = Array.from({ length: runnerCount }, (_, at): RunnerPlace => {
    return { node: new Node(`runner-${at + 1}`), deadly, process: undefined };
  });
  const isGentle = chance(world, 0.15);
  world.hasDeaths = new Set(isGentle ? coordinators : [...coordinators, ...runners.map(({ node }) => node)]);
  for (const node of coordinators) startCoordinator(world, node);
  const isDeadly = !isGentle && chance(world, 0.1);
  const isShort = runnerCount === 0 || chance(world, 0.05);
  const runs = chance(world, 0.2) ? 2 : 1;
  const plan = { deadlineMs: isShort ? soonMs : runDeadlineMs, isDeadly, deadly };
  for (let run = 1; run <= runs; run++)
    world.clock.at(between(world, 0, 15_000), () => askToStart(world, `key-${run}`, plan));
  for (const runner of runners) runner.process = new Runner(world, runner.node, deadly);
  if (isGentle) world.isWell = (id) => runners.some(({ process }) => process?.sessionId === id);
  world.tellCancelled = (from, runId) => {
    for (const { node, process } of runners) send(world, from, node, () => process?.heed(runId));
  };
  scheduleFaults(world, runners, { lastMs: faultsLastMs, isGentle });
  return { endsByMs: faultsLastMs + healMs + (isDeadly ? deadlyMs : 0) };
}

interface Plan {
  deadlineMs: number;
  isDeadly: boolean;
  deadly: Set<string>;
}

/** The caller asks until it is answered, any coordinator, always with the same key. */
function askToStart(world: World, key: string, plan: Plan): void {
  const to = pick(world, world.coordinators);
  const again = () => askToStart(world, key, plan);
  const isThere = to?.isUp === true && to.frozenUntilMs <= world.clock.nowMs;
  const runId = isThere
    ? unlessDown(() => transact(world, () => world.ledger.findRun(key) ?? storeRun(world, key, plan)))
    : null;
  const isAnswered = runId !== null && !chance(world, 0.2);
  if (isAnswered) goOn(world, key, runId);
  else world.clock.at(world.clock.nowMs + 500, again);
}

function unlessDown<Answer>(ask: () => Answer): Answer | null {
  try {
    return ask();
  } catch (error) {
    if (error instanceof LedgerDown) return null;
    throw error;
  }
}

/** What the caller does once it has an answer. */
function goOn(world: World, key: string, runId: string): void {
  world.invariants.started(key, runId);
  const soon = () => between(world, world.clock.nowMs + 500, faultsLastMs);
  if (chance(world, 0.2)) world.clock.at(soon(), () => askToCancel(world, runId));
  if (chance(world, 0.1)) world.clock.at(soon(), () => spendBudget(world, runId));
}

function storeRun(world: World, key: string, { deadlineMs, isDeadly, deadly }: Plan): string {
  const { ledger, newId } = world;
  const runId = newId('run');
  ledger.runs.set(runId, { key, isCancelled: false });
  const isComparison = chance(world, 0.5);
  const [head, base] = [newId('suite'), newId('suite')];
  const cases = 1 + Math.floor(world.random() * 8);
  const turns = Array.from({ length: cases }, () => {
    const members = isComparison ? [newId('test'), newId('test')] : [newId('test')];
    for (const [side, id] of members.entries()) ledger.planned.set(id, isComparison && side === 0 ? base : head);
    if (isDeadly && deadly.size === 0) deadly.add(members[0] ?? '');
    return { group: 'one', testRuns: members.length, bytes: 1, shared: 0, members };
  });
  const size = Math.max(isComparison ? 2 : 1, Math.floor(world.random() * 5));
  for (const chunk of cutChunks(turns, { size, bytes: 1000 })) {
    const sides = { suiteRunId: head, baseSuiteRunId: isComparison ? base : null, hasPairs: isComparison };
    const stored = newChunk(
      newId('chunk'),
      chunk.flatMap(({ members }) => members),
    );
    ledger.chunks.set(stored.id, { ...stored, ...sides, runId });
  }
  for (const id of isComparison ? [head, base] : [head])
    ledger.suiteRuns.set(id, { ...newSuiteRun(cases), id, runId, deadlineMs: world.clock.nowMs + deadlineMs });
  return runId;
}

const newChunk = (
  id: string,
  members: string[],
): Omit<StoredChunk, 'runId' | 'suiteRunId' | 'baseSuiteRunId' | 'hasPairs'> => ({
  ...{ id, members, settled: 0n, state: 'queued', attempt: 0, holders: [], sessionId: null, claimId: null },
  ...{ crashCount: 0, returnCount: 0, missedBeats: 0, publishGen: 0, isPublished: false, publishedMs: 0 },
});

const newSuiteRun = (total: number): SuiteRun => ({
  ...{ status: 'pending', ending: null, total, passed: 0, failed: 0, errored: 0, skipped: 0, unwritten: 0 },
});

/** The caller asks until a coordinator has answered. */
function askToCancel(world: World, runId: string): void {
  const to = pick(world, world.coordinators);
  const again = () => world.clock.at(world.clock.nowMs + 1000, () => askToCancel(world, runId));
  if (to?.isUp !== true) {
    again();
    return;
  }
  later(world, to, 1, () => {
    if (unlessDown(() => cancelRun(world, to, runId)) === null) again();
  });
}

function spendBudget(world: World, runId: string): void {
  const ids = world.ledger.suiteRunsOf(runId).map(({ id }) => id);
  if (world.isLedgerUp) world.ledger.end(ids, endings.budget);
}

function play(world: World, { endsByMs }: Stage): void {
  const { clock, ledger } = world;
  while (clock.step()) {
    if (clock.nowMs > faultsLastMs && hasEnded(world)) break;
    if (clock.nowMs > endsByMs) throw new Violation(`P2: at ${clock.nowMs / 1000} s ${whatIsOpen(world)}`);
  }
  for (const [runId, { isCancelled }] of ledger.runs)
    if (!isCancelled && ledger.suiteRunsOf(runId).some(({ status }) => status === 'cancelled'))
      throw new Violation(`P2: ${runId} is not cancelled, and a suite run of it is`);
}

function hasEnded({ ledger }: World): boolean {
  if (ledger.runs.size === 0) return false;
  for (const suiteRun of ledger.suiteRuns.values()) if (!isOver(suiteRun) || suiteRun.unwritten > 0) return false;
  for (const times of ledger.verdicts.values()) if (times === 0) return false;
  return true;
}

function whatIsOpen({ ledger }: World): string {
  const open = [...ledger.suiteRuns.values()].filter((suiteRun) => !isOver(suiteRun) || suiteRun.unwritten > 0);
  const chunks = [...ledger.chunks.values()].filter(({ state }) => state === 'queued' || state === 'leased');
  const named = chunks.map(({ id, state, attempt, sessionId, isPublished }) => ({
    id,
    state,
    attempt,
    sessionId,
    isPublished,
  }));
  return `${open.map(({ id, status }) => `${id} is ${status}`).join(', ')} with ${JSON.stringify(named)}`;
}
