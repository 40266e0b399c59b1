import { type CassetteEntry, cassetteLine } from '@proofmark/contracts/cassette';
import type { Cassette } from '@proofmark/runner-agent/simulated-call';
import { openResultLog, type ResultLog } from './result-log.ts';

export interface RecordedCassette extends Cassette, AsyncDisposable {}

/**
 * The answers of simulated tools in one run, so that both sides of a comparison and all repetitions meet the same tool.
 * Each is written to the file as soon as it is there; without any the file is not made. Closing waits for the last one.
 */
export function recordCassette(path: string): RecordedCassette {
  const known = new Map<string, CassetteEntry>();
  let log: Promise<ResultLog> | undefined;
  const writing: Promise<unknown>[] = [];
  return {
    find: async (key) => ({ ok: true, value: known.get(key) }),
    keep: async (entry) => {
      const earlier = known.get(entry.key);
      if (earlier !== undefined) return { ok: true, value: earlier };
      known.set(entry.key, entry);
      log ??= openResultLog(path);
      const written = log.then((open) => open.append(cassetteLine(entry)));
      // Who closes is told of a failure; until then it must not end the process.
      written.catch(() => undefined);
      writing.push(written);
      return { ok: true, value: entry };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(writing);
      await (await log)?.[Symbol.asyncDispose]();
    },
  };
}
