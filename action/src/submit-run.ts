import type { ClientError, Sent } from '@proofmark/client/client-error';
import type { CoordinatorClient } from '@proofmark/client/coordinator-client';
import type { StartedRun, StartRunInput } from '@proofmark/client/start-run';
import type { Refusal } from '@proofmark/client/user-error';
import type { Connection } from './connect.ts';
import type { Ending } from './decide-exit.ts';
import type { Job } from './job.ts';
import { foreignLine } from './job-log.ts';
import { reportProblems } from './report-problems.ts';

type Submitted = { ok: true; runId: string; hasApp: boolean } | { ok: false; ending: Ending };

/** What a coordinator takes in one request. */
const maxBodyBytes = 8 * 1024 * 1024;

/** Hands the run over. Trying again with the same key never starts a second one. */
export async function submitRun({ patient }: Connection, input: StartRunInput, job: Job): Promise<Submitted> {
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes > maxBodyBytes - 1024) {
    job.remark({ level: 'error', message: `The definitions have ${bytes} bytes, a run may have ${maxBodyBytes}.` });
    return { ok: false, ending: { kind: 'trouble' } };
  }
  const sent = await startPatiently(patient, input, job);
  if (!sent.ok) return { ok: false, ending: tellNotSent(sent.error, input, job) };
  if (!sent.answer.ok) return { ok: false, ending: tellRefusal(sent.answer.refusal, job) };
  const { runId, created, isDelayed, hasApp } = sent.answer;
  job.write(created ? `Run ${runId} was accepted.` : `Run ${runId} was accepted before; joining it.`);
  if (isDelayed) job.write('Its test runs leave as soon as the broker of the coordinator is back.');
  return { ok: true, runId, hasApp };
}

/** A coordinator that has too much to do says when to ask again. */
async function startPatiently(
  client: Pick<CoordinatorClient, 'startRun'>,
  input: StartRunInput,
  { now, pause, signal, environment, write }: Job,
): Promise<Sent<StartedRun>> {
  const deadline = now() + environment.retryMs;
  for (;;) {
    const sent = await client.startRun(input);
    const refusal = sent.ok && !sent.answer.ok ? sent.answer.refusal : null;
    const waitMs = refusal?.retryAfterMs ?? null;
    if (refusal === null || waitMs === null || signal.aborted || now() + waitMs >= deadline) return sent;
    write(`Waiting for the coordinator: ${foreignLine(refusal.message)}`);
    await pause(waitMs);
  }
}

function tellNotSent({ isTransient, message, code }: ClientError, input: StartRunInput, job: Job): Ending {
  if (job.signal.aborted) return { kind: 'nothing' };
  const level = isTransient && input.settings?.onError === 'ALLOW' ? 'warning' : 'error';
  job.remark({ level, message: `The run was not started (${foreignLine(code)}): ${foreignLine(message)}` });
  return { kind: isTransient ? 'unreachable' : 'trouble' };
}

function tellRefusal(refusal: Refusal, job: Job): Ending {
  reportProblems(refusal.problems, job);
  for (const { path, message } of refusal.arguments) {
    job.remark({ level: 'error', message: foreignLine(`${path}: ${message}`) });
  }
  const conflict = refusal.runId === null ? '' : ` (run ${refusal.runId})`;
  job.remark({ level: 'error', message: `${foreignLine(refusal.message)}${conflict} [${foreignLine(refusal.code)}]` });
  if (refusal.code !== 'INVALID_DEFINITIONS') return { kind: 'trouble' };
  job.outputs.outcome = 'invalid';
  return { kind: 'ended', outcome: 'invalid', conclusion: 'failure' };
}
