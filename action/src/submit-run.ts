import type { Refusal } from '@proofmark/client/operation';
import type { ClientError } from '@proofmark/client/send-operation';
import { sendRun } from '@proofmark/client/send-run';
import type { StartRunInput } from '@proofmark/client/start-run';
import { readCaseFile } from '@proofmark/embedded/case-files';
import type { Connection } from './connect.ts';
import type { Ending } from './decide-exit.ts';
import type { Job } from './job.ts';
import { foreignLine } from './job-log.ts';
import { reportProblems } from './report-problems.ts';

type Submitted = { ok: true; runId: string; hasApp: boolean } | { ok: false; ending: Ending };

/** Hands the run over, with the files of the checkout that its cases name, and tells what came of it. */
export async function submitRun(
  { patient }: Connection,
  input: StartRunInput,
  root: string,
  job: Job,
): Promise<Submitted> {
  const { now, pause, signal, environment, write } = job;
  const sent = await sendRun({
    client: patient,
    input,
    now,
    pause,
    signal,
    readFile: (path) => readCaseFile(path, root),
    patienceMs: environment.retryMs,
    onWait: (message) => write(`Waiting for the coordinator: ${foreignLine(message)}`),
  });
  if (!sent.ok) {
    switch (sent.reason) {
      case 'too-large':
        job.remark({ level: 'error', message: sent.message });
        return { ok: false, ending: { kind: 'trouble' } };
      case 'not-sent':
        return { ok: false, ending: tellNotSent(sent.error, input, job) };
      case 'refused':
        return { ok: false, ending: tellRefusal(sent.refusal, job) };
    }
  }
  const { runId, created, isDelayed, hasApp } = sent;
  write(created ? `Run ${runId} was accepted.` : `Run ${runId} was accepted before; joining it.`);
  if (isDelayed) write('Its test runs leave as soon as the broker of the coordinator is back.');
  return { ok: true, runId, hasApp };
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
