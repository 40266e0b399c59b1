import { type CassetteEntry, cassetteLine } from '@proofmark/contracts/cassette';
import type { Cassette } from '@proofmark/runner-agent/simulated-call';
import { openResultLog, type ResultLog } from './result-log.ts';

export interface RecordedCassette extends Cassette, AsyncDisposable {}

/**
 * The answers of simulated tools in one run, so that both sides of a comparison and all repetitions meet the same tool;
 * `earlier` are those of a run that it is compared with. Each that is used is written to the file as soon as it is there;
 * without any the file is not made. Closing waits for the last one.
 */
export function recordCassette(path: string, earlier: readonly CassetteEntry[] = []): RecordedCassette {
  const compared = new Map(earlier.map((entry) => [entry.key, entry]));
  const known = new Map<string, CassetteEntry>();
  let log: Promise<ResultLog> | undefined;
  const writing: Promise<unknown>[] = [];
  const record = (entry: CassetteEntry): CassetteEntry => {
    const first = known.get(entry.key);
    if (first !== undefined) return first;
    known.set(entry.key, entry);
    log ??= openResultLog(path);
    const written = log.then((open) => open.append(cassetteLine(entry)));
    // Who closes is told of a failure; until then it must not end the process.
    written.catch(() => undefined);
    writing.push(written);
    return entry;
  };
  return {
    find: async (key) => {
      const found = known.get(key) ?? compared.get(key);
      return { ok: true, value: found && record(found) };
    },
    keep: async (entry) => ({ ok: true, value: record(entry) }),
    async [Symbol.asyncDispose]() {
      await Promise.all(writing);
      await (await log)?.[Symbol.asyncDispose]();
    },
  };
}
