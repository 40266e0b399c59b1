import { getInput, getState, setSecret } from '@actions/core';
import { type JobEnvironment, proxiedEnvironment, readJobEnvironment } from './job/environment.ts';
import { interruptiblePause, maskSecret } from './job/job.ts';
import { runThroughProxy } from './job/run-through-proxy.ts';
import { connectCoordinator, type UsableCredentials } from './run/connect-to-coordinator.ts';

/** Three tries in this time, and no more: GitHub ends a cancelled job soon. */
const wholeMs = 10_000;
const tries = 3;

const write = (line: string) => void process.stdout.write(`${line}\n`);

const proxied = proxiedEnvironment();
if (proxied === null) await cancelStartedRun();
else process.exitCode = await runThroughProxy(proxied);

/** The job was cancelled: ends the run that it had started, if it came that far. */
async function cancelStartedRun(): Promise<void> {
  const runId = getState('run-id');
  if (runId === '') return;
  const told = readJobEnvironment();
  // Then the job itself has not begun: it says why.
  if (!told.ok) return;
  const { environment } = told;
  const signal = AbortSignal.timeout(wholeMs);
  const pause = interruptiblePause(signal);
  const mask = (secret: string) => maskSecret(secret, setSecret);
  const credentials = credentialsOf(environment, mask);
  const ports = { write, mask, pause, signal, now: Date.now, random: Math.random };
  const connection = connectCoordinator(getState('coordinator-url'), credentials, { ...ports, environment });
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const sent = await connection.quick.cancelRun(runId);
    if (sent.ok) return write(`Run ${runId}${sent.answer.ok ? cameOf(sent.answer) : `: ${sent.answer.refusal.code}`}`);
    write(`Run ${runId} is not cancelled yet: ${sent.error.message}`);
    if (attempt < tries) await pause(1000);
  }
}

/** A function and no constant: the lines at the top run before any that stands here. */
function cameOf({ changed }: { changed: boolean }): string {
  return changed ? ' is cancelled.' : ' had ended before, or goes on for another job that waits for it.';
}

/** State is a file that later steps can read, so no token is in it: the job asks for a fresh one. */
function credentialsOf({ idTokens }: JobEnvironment, mask: (secret: string) => void): UsableCredentials {
  const audience = getState('audience');
  if (audience !== '' && idTokens !== null) return { kind: 'job', idTokens, audience };
  const token = getInput('api-token');
  if (token !== '') mask(token);
  return { kind: 'api-token', token };
}
