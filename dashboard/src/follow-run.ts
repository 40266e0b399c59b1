import { unknown as anything, looseObject, optional } from 'zod/mini';
import { Progress } from './answers.ts';
import { send } from './ask.ts';
import { takeEvents } from './sse-events.ts';

const againMs = 3_000;
const Next = looseObject({ data: optional(anything()) });

type Following = {
  runId: string;
  /** Told of every change. */
  onProgress: (progress: Progress) => void;
  signal: AbortSignal;
};

const finalStates: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELLED']);
export const isFinal = (status: string): boolean => finalStates.has(status);

/** Hears how a run goes on until it has ended; a stream that breaks is opened again. Resolves when there is no more to hear. */
export async function followRun({ runId, onProgress, signal }: Following): Promise<void> {
  let isEnded = false;
  while (!isEnded && !signal.aborted) {
    try {
      await readStream(runId, signal, (progress) => {
        isEnded ||= isFinal(progress.status);
        onProgress(progress);
      });
    } catch {
      // The connection broke, or the tab was closed; the loop knows which.
    }
    if (!isEnded) await rest(signal);
  }
}

async function readStream(runId: string, signal: AbortSignal, onProgress: (progress: Progress) => void): Promise<void> {
  const response = await send('progress', { id: runId }, 'text/event-stream', signal);
  if (!response.ok || response.body === null) return;
  let received = '';
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    const { events, rest: unread } = takeEvents(received + part);
    received = unread;
    for (const { event, data } of events) {
      if (event !== 'next') continue;
      const progress = Progress.safeParse(Next.parse(JSON.parse(data)).data);
      if (progress.success) onProgress(progress.data.runProgress);
    }
  }
}

function rest(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, againMs);
    signal.addEventListener('abort', end, { once: true });
  });
}
