import { z } from 'zod';
import { ResultLine } from './result-line.ts';

/** What most test runs of a suite run have in common; in a results file it stands once. */
const sharedKeys = ['agent', 'model', 'instrument', 'resolvedVariables', 'limits'] as const;

const PartLine = z.strictObject({ part: z.int().min(0), value: z.json() });

/** Makes the lines of one results file: a part that several test runs share is a line of its own before the first of them. */
export function lineWriter(): (result: ResultLine) => { parts: string[]; line: string } {
  const known = new Map<object, number>();
  return (result) => {
    if (result.work === null) return { parts: [], line: JSON.stringify(result) };
    const parts: string[] = [];
    const shared: Record<string, number> = {};
    const rest: Record<string, unknown> = { ...result.work };
    for (const key of sharedKeys) {
      const value = result.work[key];
      if (value === null) continue;
      shared[key] = known.get(value) ?? known.size;
      delete rest[key];
      if (known.has(value)) continue;
      parts.push(JSON.stringify({ part: known.size, value }));
      known.set(value, known.size);
    }
    return { parts, line: JSON.stringify({ ...result, work: { ...rest, shared } }) };
  };
}

export type ReadLine = { kind: 'result'; result: ResultLine } | { kind: 'part' } | { kind: 'foreign' };

const Shared = z.looseObject({
  work: z.looseObject({ shared: z.record(z.string(), z.int().min(0)) }),
});

/** Reads the lines of one results file in their order; `foreign` is what no such file holds. */
export function lineReader(): (text: string) => ReadLine {
  const parts = new Map<number, unknown>();
  return (text) => {
    const value: unknown = JSON.parse(text);
    const part = PartLine.safeParse(value);
    if (part.success) {
      parts.set(part.data.part, part.data.value);
      return { kind: 'part' };
    }
    const result = ResultLine.safeParse(withParts(value, parts));
    return result.success ? { kind: 'result', result: result.data } : { kind: 'foreign' };
  };
}

function withParts(value: unknown, parts: ReadonlyMap<number, unknown>): unknown {
  const line = Shared.safeParse(value);
  if (!line.success) return value;
  const { shared, ...rest } = line.data.work;
  const found = Object.entries(shared).map(([key, part]) => [key, parts.get(part)]);
  return { ...line.data, work: { ...rest, ...Object.fromEntries(found) } };
}
