import type { StartRequest } from '@proofmark/contracts/start-run-input';
import type { CoordinatorClient } from './coordinator-client.ts';
import type { Refusal, StartedRun } from './operations/refusal.ts';
import type { ClientError, Sent } from './send-operation.ts';

/** What a coordinator takes in one request, less what the request around the run needs. */
const maxInputBytes = 8 * 1024 * 1024 - 1024;

interface SendRunOptions {
  client: Pick<CoordinatorClient, 'startRun' | 'uploadBlob'>;
  input: StartRequest;
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
    const message = `The definitions have ${bytes} bytes, a run may have ${maxInputBytes}: run fewer suites at once, or a sample of their rows.`;
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

/** The content of a local file that a case names; null when it is not there any more. */
type ReadCaseFile = (path: string) => Promise<Uint8Array<ArrayBuffer> | null>;

/**
 * Starts a run, uploads those of its `caseFiles` that the coordinator lacks, one after another, and asks again with the
 * same key. What cannot be read stays missing, which is then the answer.
 */
export async function startRunWithFiles(
  client: Pick<CoordinatorClient, 'startRun' | 'uploadBlob'>,
  input: StartRequest,
  read: ReadCaseFile,
): Promise<Sent<StartedRun>> {
  const first = await client.startRun(input);
  const missing = first.ok && !first.answer.ok ? (first.answer.refusal.missingBlobs ?? []) : [];
  if (missing.length === 0) return first;
  for (const sha256 of missing) {
    const file = input.caseFiles?.find((one) => one.sha256 === sha256);
    const content = file === undefined ? null : await read(file.path);
    if (content === null) continue;
    const uploaded = await client.uploadBlob({ sha256, content });
    if (!uploaded.ok) return uploaded;
  }
  return client.startRun(input);
}
