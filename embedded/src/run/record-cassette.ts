import { CassetteEntry, cassetteLine } from '@proofmark/contracts/cassette';
import type { PortsOptions } from '@proofmark/runner-agent/open-ports';
import { appendLater, readJsonLines } from '../results/result-files.ts';

export type RecordedCassette = NonNullable<PortsOptions['cassette']> & AsyncDisposable;

/**
 * The answers of simulated tools in one run, so that both sides of a comparison and all repetitions meet the same tool;
 * those that an earlier process of the run got are known, and `earlier` are those of a run that it is compared with. Each
 * that is used is written to the file as soon as it is there; without any the file is not made. Closing waits for the last
 * one.
 */
export async function recordCassette(path: string, earlier: readonly CassetteEntry[] = []): Promise<RecordedCassette> {
  const compared = new Map(earlier.map((entry) => [entry.key, entry]));
  const known = new Map((await readJsonLines(path, CassetteEntry)).map((entry) => [entry.key, entry]));
  const lines = appendLater(path);
  const record = (entry: CassetteEntry): CassetteEntry => {
    const first = known.get(entry.key);
    if (first !== undefined) return first;
    known.set(entry.key, entry);
    lines.append(cassetteLine(entry));
    return entry;
  };
  return {
    find: async (key) => {
      const found = known.get(key) ?? compared.get(key);
      return { ok: true, value: found && record(found) };
    },
    keep: async (entry) => ({ ok: true, value: record(entry) }),
    [Symbol.asyncDispose]: () => lines[Symbol.asyncDispose](),
  };
}
