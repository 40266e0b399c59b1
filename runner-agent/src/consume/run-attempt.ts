import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { FetchableFile } from '@proofmark/contracts/file-content';
import { reasonOf } from '@proofmark/domain/describe-error';
import { errorOutcome } from '@proofmark/domain/error-outcome';
import type { Logger } from 'pino';
import type { CasePorts } from '../case/case-state.ts';
import { CasePlace } from '../retry/case-place.ts';
import { pause } from '../retry/pause.ts';
import { CaseAborted, runCase } from '../run-case/run-case.ts';
import type { Slot, WaitingRoom } from '../slots/fair-slots.ts';
import type { Cassette } from '../tools/simulate-tool.ts';
import type { RunnerChaos } from './chaos.ts';
import type { ClaimedTestRun } from './claim-tasks.ts';
import type { HeldAttempt, HeldAttempts } from './held-attempts.ts';
import type { ResultOutbox } from './publish-results.ts';

export interface Running {
  held: HeldAttempts;
  outbox: ResultOutbox;
  ports: Omit<CasePorts, 'pause' | 'place'>;
  /** The ports of one run, which knows what its endpoints do. */
  portsOf: (run: Pick<HeldAttempt, 'tenantId' | 'runId'>) => Omit<CasePorts, 'pause' | 'place'>;
  /** Cases that wait without a slot. */
  room: WaitingRoom;
  /** The answers that simulated tools have given in the run of a test run; undefined where nobody keeps them together. */
  cassetteOf: (attempt: HeldAttempt) => Cassette | undefined;
  chaos: RunnerChaos;
  log: Logger;
}

/** Runs the test runs of one task in their order: both sides of a pair see the same machine at the same time. Never rejects. */
export async function runTask(testRuns: readonly ClaimedTestRun[], slot: Slot, running: Running): Promise<void> {
  try {
    for (const testRun of testRuns) await runAttempt(testRun, slot, running);
  } finally {
    slot.release();
  }
}

async function runAttempt({ held: attempt, work, files }: ClaimedTestRun, slot: Slot, running: Running): Promise<void> {
  const { testRunId, runId, signal } = attempt;
  const log = running.log.child({ testRunId, runId, attempt: attempt.attempt, case: work.case.name });
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
    await running.chaos.at('after_answer_before_publish');
    log.debug({ status: outcome.status, errorKind: outcome.errorKind }, 'A test run has ended');
    give(outcome, attempt, running);
  } catch (error) {
    // Whoever aborted knows already.
    if (error instanceof CaseAborted || signal.aborted) return;
    log.error({ error }, 'A test run could not be executed');
    // A bug of ours, and it ends the test run: left to its lease, it would come back and be paid for again without end.
    give(brokenBy(error, work), attempt, running);
  } finally {
    running.held.remove(attempt);
  }
}

function give(outcome: CaseOutcome, { testRunId, suiteRunId, attempt, ...of }: HeldAttempt, { outbox }: Running): void {
  const { tenantId, runId, sessionId } = of;
  outbox.add({ tenantId, runId, sessionId, result: { testRunId, suiteRunId, attempt, outcome } });
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
