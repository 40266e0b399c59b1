import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { CaseWork } from '@proofmark/contracts/case-work';
import { parseJson } from '@proofmark/contracts/parse-json';
import { TestCase } from '@proofmark/contracts/test-case';
import { deepestMessage, nestsAtMost } from '@proofmark/process/json-nesting';
import { z } from 'zod';

/** One test run on disk: what it was given, so that it can be repeated, and what came of it. */
export const ResultLine = z.strictObject({
  run_id: z.string(),
  suite: z.string(),
  suite_path: z.string(),
  cell: z.string(),
  variant: z.string(),
  case_name: z.string(),
  sort_order: z.int(),
  repetition: z.int(),
  case_hash: z.string(),
  instrument_hash: z.string(),
  agent_hash: z.string(),
  /** Matrix values and values of the run: only results with an equal one may be compared. */
  setting_key: z.string().default(''),
  /** Null: decided without being run. */
  work: CaseWork.nullable(),
  /** The case of a test run that was decided without being run; otherwise it stands in `work`. */
  case: TestCase.nullable(),
  outcome: CaseOutcome,
});
export type ResultLine = z.infer<typeof ResultLine>;

/** The case as it was asked, its texts filled in. */
export function caseOfLine({
  work,
  case: testCase,
}: {
  work: Pick<CaseWork, 'case'> | null;
  case: TestCase | null;
}): TestCase {
  const found = work?.case ?? testCase;
  if (found === null || found === undefined) throw new Error('A result without its case');
  return found;
}

const PartLine = z.strictObject({ part: z.int().min(0), value: z.json() });

/**
 * Makes the lines of one results file: a part that several test runs share is a line of its own before the first of them.
 * `earlier`: how many parts stand in the file already.
 */
export function lineWriter(earlier = 0): (result: ResultLine) => { parts: string[]; line: string } {
  const known = new Map<object, number>();
  const share = (value: object, parts: string[]): number => {
    const number = known.get(value) ?? earlier + known.size;
    if (number === earlier + known.size) {
      parts.push(JSON.stringify({ part: number, value }));
      known.set(value, number);
    }
    return number;
  };
  return (result) => {
    const parts: string[] = [];
    if (result.work === null) return { parts, line: JSON.stringify(result) };
    const { agent, model, instrument, resolvedVariables, limits, ...own } = result.work;
    const shared = {
      agent: share(agent, parts),
      instrument: share(instrument, parts),
      resolvedVariables: share(resolvedVariables, parts),
      limits: share(limits, parts),
      // A driver without a model has none to share.
      ...(model === null ? {} : { model: share(model, parts) }),
    };
    const work = model === null ? { ...own, model, shared } : { ...own, shared };
    return { parts, line: JSON.stringify({ ...result, work }) };
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
    // A pit of brackets is none of ours, and would end the reader.
    if (!nestsAtMost(deepestMessage, text)) return { kind: 'foreign' };
    const value = parseJson(text);
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
