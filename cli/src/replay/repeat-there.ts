import { randomUUID } from 'node:crypto';
import { watchRun } from '@proofmark/client/watch-run';
import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { CommandContext } from '../arguments/command.ts';
import { type ExitCode, exitCodes } from '../arguments/exit-code.ts';
import { errorWords, type OpenCoordinator } from '../coordinator/open-coordinator.ts';
import { plain } from '../output/terminal.ts';

export type RepeatedThere =
  | { ok: true; testRunId: string; outcome: CaseOutcome }
  | { ok: false; code: ExitCode; message: string };

const failed = (code: ExitCode, message: string): RepeatedThere => ({ ok: false, code, message });

/** Lets the runners of the coordinator repeat one of its test runs, as a run of its own. An interruption cancels that run. */
export async function repeatThere(
  testRunId: string,
  coordinator: OpenCoordinator,
  { terminal, signal, environment }: CommandContext,
): Promise<RepeatedThere> {
  const { patient, quick, lasting, pause, url } = coordinator;
  const say = (line: string) => terminal.writeError(`${plain(line)}\n`);
  const sent = await patient.repeatTestRun({ testRunId, idempotencyKey: `replay:${randomUUID()}` });
  if (!sent.ok) {
    const code = sent.error.isTransient ? exitCodes.notJudged : exitCodes.wrongUsage;
    return failed(code, `${errorWords(sent.error)} (${sent.error.code})`);
  }
  if (!sent.answer.ok) {
    const { code, message, arguments: wrong } = sent.answer.refusal;
    return failed(exitCodes.wrongUsage, [`${message} (${code})`, ...wrong.map((one) => one.message)].join('\n'));
  }
  const { runId } = sent.answer;
  say(`Run ${runId} was accepted: ${url}/runs/${runId}`);
  const ports = { write: say, pause, now: Date.now, signal, pollMs: environment.pollMs };
  const watched = await watchRun({ ports, client: quick, runId, timeoutMs: Number.POSITIVE_INFINITY });
  if (watched.kind === 'interrupted') {
    await lasting.cancelRun(runId);
    return failed(exitCodes.interrupted, `Run ${runId} is cancelled.`);
  }
  if (watched.kind !== 'ended') return failed(exitCodes.notJudged, `Run ${runId} is out of sight.`);
  return await readOutcome(runId, coordinator);
}

async function readOutcome(runId: string, { lasting }: OpenCoordinator): Promise<RepeatedThere> {
  const only = await lasting.onlyTestRun(runId);
  const found = only.ok && only.answer !== null ? await lasting.testRunWork(only.answer) : only;
  if (!found.ok) return failed(exitCodes.notJudged, `${errorWords(found.error)} (${found.error.code})`);
  if (found.answer === null || typeof found.answer === 'string') {
    return failed(exitCodes.notJudged, `Run ${runId} has no test run.`);
  }
  const { id, status, skipReason } = found.answer;
  const outcome = CaseOutcome.safeParse(found.answer.outcome);
  if (outcome.success) return { ok: true, testRunId: id, outcome: outcome.data };
  return failed(exitCodes.notJudged, `Run ${runId} ended without a result: ${skipReason ?? status}.`);
}
