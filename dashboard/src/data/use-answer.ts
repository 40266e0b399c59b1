import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { TypedDocument } from '../operations/documents.ts';
import { ask, type Reply } from './ask.ts';
import { oneAtATime } from './one-at-a-time.ts';

/** `answer` is what is known now; while it is asked again, what was known before. */
export interface Answered<Answer> {
  answer: Answer | null;
  problem: string | null;
  /** Asks again, once for all who wish it meanwhile; resolves when the new answer is shown. */
  reload: () => Promise<void>;
}

const mostKept = 60;
const kept = new Map<string, unknown>();

/** What was answered before: whoever goes back sees it at once. */
function keep(key: string, answer: unknown): void {
  kept.delete(key);
  kept.set(key, answer);
  const [oldest] = kept.keys();
  if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
}

/** Nothing that one person has read is shown to the next. */
export const forgetAnswers = (): void => kept.clear();

/** Asks when the component appears and whenever the variables change; `null` asks nothing. */
export function useAnswer<Answer, Variables>(
  operation: TypedDocument<Answer, Variables>,
  variables: Variables | null,
): Answered<Answer> {
  const key = `${operation.name} ${JSON.stringify(variables)}`;
  const [state, setState] = useState<{ key: string; asked: Reply<Answer> } | null>(null);
  const load = useRef(async () => {});
  const reload = useCallback(() => load.current(), []);
  // Not after the paint: what is asked at once is answered a frame earlier.
  useLayoutEffect(() => {
    const leaving = new AbortController();
    load.current = oneAtATime(async () => {
      if (variables === null || leaving.signal.aborted) return;
      const asked = await ask(operation, variables, leaving.signal);
      if (leaving.signal.aborted) return;
      if (asked.ok) keep(key, asked.answer);
      setState({ key, asked });
    });
    void reload();
    return () => leaving.abort();
    // The key says all that the others do.
  }, [key]);

  const asked = state?.key === key ? state.asked : null;
  // Kept under the name of this very operation.
  const before = (kept.get(key) as Answer | undefined) ?? null;
  if (asked === null) return { answer: before, problem: null, reload };
  return asked.ok
    ? { answer: asked.answer, problem: null, reload }
    : { answer: before, problem: asked.message, reload };
}
