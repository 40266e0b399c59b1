import type { ClientError, Sent } from './client-error.ts';
import type { CoordinatorClient } from './coordinator-client.ts';
import type { StartedRun, StartRunInput } from './operations/start-run.ts';
import type { Refusal } from './operations/user-error.ts';
import { type ReadCaseFile, startRunWithFiles } from './start-with-files.ts';

/** What a coordinator takes in one request, less what the request around the run needs. */
const maxInputBytes = 8 * 1024 * 1024 - 1024;

export interface SendRunOptions {
  client: Pick<CoordinatorClient, 'startRun' | 'uploadBlob'>;
  input: StartRunInput;
  readFile: ReadCaseFile;
  /** How long a coordinator that has too much to do is asked again. */
  patienceMs: number;
  now: () => number;
  pause: (ms: number) => Promise<void>;
  signal: AbortSignal;
  /** Told before each pause, in the coordinator's words. */
  onWait: (message: string) => void;
}

export type SentRun =
  | Extract<StartedRun, { ok: true }>
  | { ok: false; reason: 'too-large'; message: string }
  | { ok: false; reason: 'not-sent'; error: ClientError }
  | { ok: false; reason: 'refused'; refusal: Refusal };

/** Hands a run over with the files of its cases. Trying again with the same key never starts a second one. */
export async function sendRun(options: SendRunOptions): Promise<SentRun> {
  const bytes = new TextEncoder().encode(JSON.stringify(options.input)).length;
  if (bytes > maxInputBytes) {
    const message = `The definitions have ${bytes} bytes, a run may have ${maxInputBytes}.`;
    return { ok: false, reason: 'too-large', message };
  }
  const sent = await startPatiently(options);
  if (!sent.ok) return { ok: false, reason: 'not-sent', error: sent.error };
  return sent.answer.ok ? sent.answer : { ok: false, reason: 'refused', refusal: sent.answer.refusal };
}

/** A coordinator that has too much to do says when to ask again. */
async function startPatiently(options: SendRunOptions): Promise<Sent<StartedRun>> {
  const { client, input, readFile, patienceMs, now, pause, signal, onWait } = options;
  const deadline = now() + patienceMs;
  for (;;) {
    const sent = await startRunWithFiles(client, input, readFile);
    const refusal = sent.ok && !sent.answer.ok ? sent.answer.refusal : null;
    const waitMs = refusal?.retryAfterMs ?? null;
    if (refusal === null || waitMs === null || signal.aborted || now() + waitMs >= deadline) return sent;
    onWait(refusal.message);
    await pause(waitMs);
  }
}
