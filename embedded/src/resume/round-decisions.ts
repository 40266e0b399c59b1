import { EarlyStop } from '@proofmark/contracts/verdict';
import { z } from 'zod';
import { appendLater } from '../run/append-later.ts';
import { readJsonLines } from '../run/read-json-lines.ts';

const DecisionLine = z.strictObject({
  /** Position of the judged side in the plan. */
  suite_run: z.int().min(0),
  round: z.int().min(1),
  /** Null: it went on. */
  stop: EarlyStop.nullable(),
});

/** Whether cells were stopped after their rounds: asked again with more results, the answer might be another one. */
export interface RoundDecisions {
  /** Undefined: not decided yet. */
  find: (suiteRun: number, round: number) => EarlyStop | null | undefined;
  keep: (suiteRun: number, round: number, stop: EarlyStop | null) => void;
}

/** The decisions of a run in a file, with those of an earlier process. Closing waits for the last one. */
export async function recordDecisions(path: string): Promise<RoundDecisions & AsyncDisposable> {
  const earlier = await readJsonLines(path, DecisionLine);
  const known = new Map(earlier.map(({ suite_run, round, stop }) => [`${suite_run} ${round}`, stop]));
  const lines = appendLater(path);
  return {
    find: (suiteRun, round) => known.get(`${suiteRun} ${round}`),
    keep: (suiteRun, round, stop) => {
      known.set(`${suiteRun} ${round}`, stop);
      lines.append(JSON.stringify({ suite_run: suiteRun, round, stop } satisfies z.infer<typeof DecisionLine>));
    },
    [Symbol.asyncDispose]: () => lines[Symbol.asyncDispose](),
  };
}
