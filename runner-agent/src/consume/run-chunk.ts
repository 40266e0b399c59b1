import { setImmediate } from 'node:timers/promises';
import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { PlacesRef } from '@proofmark/contracts/control-messages';
import type { FetchableFile } from '@proofmark/contracts/file-content';
import { errorOutcome } from '@proofmark/domain/fit-result';
import { reasonOf } from '@proofmark/domain/log-line';
import { pause } from '@proofmark/process/pause';
import { type TracedSpan, tracing } from '@proofmark/process/tracing';
import type { Logger } from 'pino';
import type { CasePorts } from '../case/case-state.ts';
import { CasePlace } from '../retry/case-place.ts';
import { CaseAborted, runCase } from '../run-case/run-case.ts';
import type { FairSlots, Slot, WaitingRoom } from '../slots/fair-slots.ts';
import type { Cassette } from '../tools/simulate-tool.ts';
import type { RunnerChaos } from './chaos.ts';
import type { ClaimedTestRun, ClaimedTurn } from './claim-tasks.ts';
import { type HeldAttempt, type HeldAttempts, placesOf } from './held-attempts.ts';
import type { ResultOutbox } from './publish-results.ts';

export interface Running {
  /** Tells the coordinator what of a session's goes back. */
  release: (sessionId: string, given: PlacesRef[]) => Promise<void>;
  held: HeldAttempts;
  slots: FairSlots;
  outbox: ResultOutbox;
  ports: Omit<CasePorts, 'pause' | 'place'>;
  /** The ports of one run, which knows what its endpoints do. */
  portsOf: (run: Pick<HeldAttempt, 'tenantId' | 'runId'>) => Omit<CasePorts, 'pause' | 'place'>;
  /** Cases that wait without a slot. */
  room: WaitingRoom;
  /** Whether somebody else could run what waits here. */
  hasCompany: () => boolean;
  /** The answers that simulated tools have given in the run of a test run; undefined where nobody keeps them together. */
  cassetteOf: (attempt: HeldAttempt) => Cassette | undefined;
  /** What a test run came to, and whether an answer from before was only judged again. */
  onOutcome: (outcome: CaseOutcome, how: { isJudgedAgain: boolean }) => void;
  chaos: RunnerChaos;
  log: Logger;
}

/** A turn that waits longer than this for a slot, or for room of its run, goes back: another runner may be idle. */
const slotPatienceMs = 1_000;

/**
 * Begins the turns of a chunk one after the other, each when there is a slot for it; what does not come to its turn goes back.
 * Resolves when all have one, or when those that are left wait for room of their run: other runs go on meanwhile.
 */
export async function runChunk(turns: readonly ClaimedTurn[], running: Running): Promise<void> {
  let firstHasLeft: Promise<void> | undefined;
  for (const [index, turn] of turns.entries()) {
    const [first] = turn;
    if (first === undefined) continue;
    if (!running.room.hasRoom(first.held.runId)) {
      void runWhenRoom(turns.slice(index), first.held, running);
      return;
    }
    const slot = await slotFor(first.held, running);
    if (slot === undefined) {
      await giveBack(turns.slice(index).flat(), running);
      return;
    }
    for (const { held } of turn) running.held.begin(held);
    // All have their slots before the first can wait for a limit; the others only let its question leave before theirs are made.
    if (firstHasLeft === undefined) {
      void runTurn(turn, slot, running);
      firstHasLeft = onceAround();
    } else void firstHasLeft.then(() => runTurn(turn, slot, running));
  }
}

/** Until this process has looked after its connections. */
async function onceAround(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** Begins what is left of a chunk when cases of its run wait no more, unless another runner could begin it before. Never rejects. */
async function runWhenRoom(rest: readonly ClaimedTurn[], of: HeldAttempt, running: Running): Promise<void> {
  using _queue = running.room.queue(of.runId);
  try {
    do {
      if (await running.room.hasRoomWithin(of.runId, slotPatienceMs, of.signal)) return await runChunk(rest, running);
    } while (!running.hasCompany());
  } catch {
    // Given up: nobody waits for it any more.
  }
  await giveBack(rest.flat(), running);
}

/** A slot, at once where nobody waits for one; undefined when it was given up meanwhile, or waited too long. */
function slotFor(held: HeldAttempt, running: Running): Slot | Promise<Slot | undefined> {
  const free = held.signal.aborted ? undefined : running.slots.tryAcquire();
  return free ?? waitForSlot(held, running);
}

async function waitForSlot({ signal }: HeldAttempt, { slots, hasCompany }: Running): Promise<Slot | undefined> {
  try {
    do {
      const slot = await slots.acquireWithin(slotPatienceMs, signal);
      if (slot) return slot;
    } while (!hasCompany());
  } catch {
    // Given up: nobody waits for it any more.
  }
  return undefined;
}

/** Those of them that are still held. When nobody answers, the coordinator misses them in the next heartbeats. */
async function giveBack(testRuns: readonly ClaimedTestRun[], { held, release }: Running): Promise<void> {
  const mine = testRuns.filter(({ held: { signal } }) => !signal.aborted).map((one) => one.held);
  const [first] = mine;
  for (const attempt of mine) held.remove(attempt);
  if (first === undefined) return;
  await release(first.sessionId, placesOf(mine));
}

/** Runs the test runs of one turn in their order: both sides of a pair see the same machine at the same time. Never rejects. */
async function runTurn(turn: ClaimedTurn, slot: Slot, running: Running): Promise<void> {
  const beganAtMs = performance.now();
  try {
    for (const testRun of turn) await runTraced(testRun, slot, running);
  } finally {
    slot.endTurn(performance.now() - beganAtMs);
  }
}

/** Where its chunk is traced, its model calls are seen below it. */
function runTraced(claimed: ClaimedTestRun, slot: Slot, running: Running): Promise<void> {
  const { traceParent: parent } = claimed;
  const traces = parent === undefined ? null : tracing();
  if (traces === null) return runAttempt(claimed, slot, running);
  const { held, work } = claimed;
  const attributes = {
    'proofmark.run_id': held.runId,
    'proofmark.test_run_id': held.testRunId,
    'proofmark.attempt': held.attempt,
    'proofmark.case': work.case.name,
    'proofmark.repetition': work.repetition,
  };
  return traces.inSpan({ name: 'test run', kind: 'consumer', attributes, parent }, (span) =>
    runAttempt(claimed, slot, running, span),
  );
}

async function runAttempt(claimed: ClaimedTestRun, slot: Slot, running: Running, span?: TracedSpan): Promise<void> {
  const { held: attempt, work, files, testCaseId } = claimed;
  const { testRunId, runId, signal } = attempt;
  const of = { testRunId, runId, attempt: attempt.attempt, testCaseId, case: work.case.name };
  using place = new CasePlace(slot, (waits) => running.room.tell(runId, waits));
  try {
    await slot.hold({ exclusive: attempt.solo, signal });
    const cassette = running.cassetteOf(attempt);
    const ports: CasePorts = {
      ...withSent(running.portsOf(attempt), files),
      ...(cassette && { cassette }),
      pause,
      // Who has taken its runner down before has it to itself, also while it waits.
      ...(!attempt.solo && { place }),
    };
    const outcome = await runCase(work, ports, signal);
    span?.setAttribute('proofmark.status', outcome.status);
    await running.chaos.at('after_answer_before_publish');
    running.log.debug({ ...of, status: outcome.status, errorKind: outcome.errorKind }, 'A test run has ended');
    give(outcome, { work, attempt }, running);
  } catch (error) {
    // Whoever aborted knows already.
    if (error instanceof CaseAborted || signal.aborted) return;
    running.log.error({ ...of, error }, 'A test run could not be executed');
    // A bug of ours, and it ends the test run: left to its lease, it would come back and be paid for again without end.
    give(brokenBy(error, work), { work, attempt }, running);
  } finally {
    running.held.remove(attempt);
  }
}

type Ended = { work: ClaimedTestRun['work']; attempt: HeldAttempt };

function give(outcome: CaseOutcome, { work, attempt: ended }: Ended, { outbox, onOutcome }: Running): void {
  const { tenantId, runId, sessionId, chunkId, at, attempt } = ended;
  onOutcome(outcome, { isJudgedAgain: work.recorded !== undefined });
  outbox.add({ tenantId, runId, sessionId, result: { chunkId, at, attempt, outcome } });
}

const brokenBy = (error: unknown, { case: testCase }: ClaimedTestRun['work']): CaseOutcome =>
  errorOutcome({
    testInput: testCase.input ?? testCase.initial_message ?? testCase.name,
    startedAt: new Date().toISOString(),
    errorKind: 'lost',
    errorMessage: `Fault of the runner: ${reasonOf(error)}`,
  });

/** The ports of a test run whose local files lie with the coordinator. */
function withSent(ports: Running['ports'], sent: readonly FetchableFile[]): Running['ports'] {
  const { files } = ports;
  if (files === undefined || sent.length === 0) return ports;
  return { ...ports, files: { read: (file, signal) => files.read(file, signal, sent) } };
}
