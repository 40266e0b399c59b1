import { setTimeout as pause } from 'node:timers/promises';

type WaitOptions = {
  /** Completes the sentence "Waited 10000 ms until …". */
  what: string;
  timeoutMs?: number;
  everyMs?: number;
  /** Printed below the message when the wait fails, e.g. a log. */
  detail?: () => string;
  /** Ends the waiting early, with the signal's reason. */
  signal?: AbortSignal;
};

/** The first answer of `probe` that is neither undefined, null nor false; rejects after the timeout and says what was awaited. */
export async function waitUntil<Answer>(
  probe: () => Answer | Promise<Answer>,
  { what, timeoutMs = 60_000, everyMs = 20, detail, signal }: WaitOptions,
): Promise<Exclude<Awaited<Answer>, undefined | null | false>> {
  const deadline = performance.now() + timeoutMs;
  let lastError: unknown;
  do {
    try {
      const answer = await probe();
      if (isAnswer(answer)) return answer;
      lastError = undefined;
    } catch (error) {
      // A probe may ask a server that is not up yet; only the last failure is worth telling.
      lastError = error;
    }
    await pause(everyMs, undefined, signal === undefined ? {} : { signal });
  } while (performance.now() < deadline);
  const more = detail === undefined ? '' : `\n${detail()}`;
  throw new Error(`Waited ${timeoutMs} ms until ${what}.${more}`, { cause: lastError });
}

function isAnswer<Answer>(answer: Answer): answer is Exclude<Answer, undefined | null | false> {
  return answer !== undefined && answer !== null && answer !== false;
}
