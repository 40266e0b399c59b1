import { useEffect, useRef, useState } from 'preact/hooks';
import type { TypedDocument } from '../operations/documents.ts';
import { type Envelope, isUnknownByHash, send } from './ask.ts';
import { sessionEnded } from './session.ts';
import { takeEvents } from './sse-events.ts';

const againMs = 3_000;

/** Hears what a subscription tells while the component is there; a stream that breaks is opened again. `null` hears nothing. */
export function useFollow<Answer, Variables>(
  operation: TypedDocument<Answer, Variables>,
  variables: Variables | null,
  onNext: (answer: Answer) => void,
): void {
  const key = JSON.stringify(variables);
  // What is heard later meets the view as it is then.
  const latest = useRef(onNext);
  latest.current = onNext;
  useEffect(() => {
    if (variables === null) return;
    const leaving = new AbortController();
    void follow(operation, variables, {
      onNext: (answer) => latest.current(answer),
      signal: leaving.signal,
    });
    return () => leaving.abort();
  }, [key]);
}

/** What was heard since an answer was read: a newer answer knows better. */
export function useHeardSince<Heard>(
  answer: unknown,
): [heard: Heard | null, hear: (add: (before: Heard | null) => Heard) => void] {
  const [last, setLast] = useState<{ answer: unknown; heard: Heard | null }>({ answer, heard: null });
  const since = (of: typeof last): Heard | null => (of.answer === answer ? of.heard : null);
  return [since(last), (add) => setLast((before) => ({ answer, heard: add(since(before)) }))];
}

/** Asks once more for an answer that was read in pieces while the run of it ended: it may know the end and not what came of it. */
export function useWholeEnd(mayLackEnd: boolean, reload: () => Promise<void>): void {
  useEffect(() => {
    if (mayLackEnd) void reload();
  }, [mayLackEnd]);
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
  const { response, isByHash } = await send(operation, variables, 'text/event-stream', signal);
  if (response.status === 401) await sessionEnded();
  if (!response.ok || response.body === null) return;
  for await (const envelope of envelopesOf<Answer>(response.body)) {
    if (isByHash && isUnknownByHash(operation.name, envelope))
      return await readStream(operation, variables, { onNext, signal });
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
