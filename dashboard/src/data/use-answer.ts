import { useCallback, useEffect, useState } from 'preact/hooks';
import type { TypedDocument } from '../operations/documents.ts';
import { ask, type Reply } from './ask.ts';

/** `answer` is what is known now; while it is asked again, what was known before. */
export interface Answered<Answer> {
  answer: Answer | null;
  problem: string | null;
  /** Asks again; resolves when the new answer is shown. */
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
  const load = useCallback(
    async (signal?: AbortSignal) => {
      if (variables === null) return;
      const asked = await ask(operation, variables, signal);
      if (signal?.aborted) return;
      if (asked.ok) keep(key, asked.answer);
      setState({ key, asked });
    },
    // The key says all that the others do.
    [key],
  );
  useEffect(() => {
    const leaving = new AbortController();
    void load(leaving.signal);
    return () => leaving.abort();
  }, [load]);

  const asked = state?.key === key ? state.asked : null;
  // Kept under the name of this very operation.
  const before = (kept.get(key) as Answer | undefined) ?? null;
  if (asked === null) return { answer: before, problem: null, reload: load };
  return asked.ok
    ? { answer: asked.answer, problem: null, reload: load }
    : { answer: before, problem: asked.message, reload: load };
}
