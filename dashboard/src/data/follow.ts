import { useEffect } from 'preact/hooks';
import type { TypedDocument } from '../operations/documents.ts';
import { type Envelope, isUnknownByHash, send } from './ask.ts';
import { takeEvents } from './sse-events.ts';

const againMs = 3_000;

/** Hears what a subscription tells while the component is there; a stream that breaks is opened again. `null` hears nothing. */
export function useFollow<Answer, Variables>(
  operation: TypedDocument<Answer, Variables>,
  variables: Variables | null,
  onNext: (answer: Answer) => void,
): void {
  const key = JSON.stringify(variables);
  useEffect(() => {
    if (variables === null) return;
    const leaving = new AbortController();
    void follow(operation, variables, { onNext, signal: leaving.signal });
    return () => leaving.abort();
  }, [key]);
}

interface Following<Answer> {
  onNext: (answer: Answer) => void;
  signal: AbortSignal;
}

async function follow<Answer, Variables>(
  operation: TypedDocument<Answer, Variables>,
  variables: Variables,
  following: Following<Answer>,
): Promise<void> {
  while (!following.signal.aborted) {
    try {
      await readStream(operation, variables, following);
    } catch {
      // The connection broke, or the view was left; the loop knows which.
    }
    if (!following.signal.aborted) await rest(following.signal);
  }
}

async function readStream<Answer, Variables>(
  operation: TypedDocument<Answer, Variables>,
  variables: Variables,
  { onNext, signal }: Following<Answer>,
): Promise<void> {
  const response = await send(operation, variables, 'text/event-stream', signal);
  if (!response.ok || response.body === null) return;
  for await (const envelope of envelopesOf<Answer>(response.body)) {
    if (isUnknownByHash(operation.name, envelope)) return await readStream(operation, variables, { onNext, signal });
    if (envelope.data) onNext(envelope.data);
  }
}

async function* envelopesOf<Answer>(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Envelope<Answer>> {
  let received = '';
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    const { events, rest: unread } = takeEvents(received + part);
    received = unread;
    for (const { event, data } of events) if (event === 'next') yield JSON.parse(data);
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
