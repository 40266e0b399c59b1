import { setTimeout as pause } from 'node:timers/promises';

type WaitOptions = {
  /** Completes the sentence "Waited 10000 ms until …". */
  what: string;
  timeoutMs?: number;
  /** Absent: 20 ms at first and more by and by, so that asking takes little of what a busy machine has. */
  everyMs?: number;
  /** Printed below the message when the wait fails, e.g. a log. */
  detail?: () => string;
  /** Ends the waiting early, with the signal's reason. */
  signal?: AbortSignal;
};

const firstRestMs = 20;
const longestRestMs = 150;

/** The first answer of `probe` that is neither undefined, null nor false; rejects after the timeout and says what was awaited. */
export async function waitUntil<Answer>(
  probe: () => Answer | Promise<Answer>,
  { what, timeoutMs = 60_000, everyMs, detail, signal }: WaitOptions,
): Promise<Exclude<Awaited<Answer>, undefined | null | false>> {
  const began = performance.now();
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
    const restMs = everyMs ?? Math.min(firstRestMs + (performance.now() - began) / 50, longestRestMs);
    await pause(restMs, undefined, signal === undefined ? {} : { signal });
  } while (performance.now() < began + timeoutMs);
  const more = detail === undefined ? '' : `\n${detail()}`;
  throw new Error(`Waited ${timeoutMs} ms until ${what}.${more}`, { cause: lastError });
}

function isAnswer<Answer>(answer: Answer): answer is Exclude<Answer, undefined | null | false> {
  return answer !== undefined && answer !== null && answer !== false;
}
