import type { CaseComparison } from '@proofmark/contracts/verdict';
import { sql } from 'kysely';
import { prepared } from '../../database/prepared.ts';
import { type Database, readInTenant } from '../../database/transactions.ts';
import { byId } from '../loaders.ts';
import { sortCases } from './case-differences.ts';

/** What a verdict says of its cases, those that broke first. */
interface JudgedCases {
  id: string;
  cases: readonly CaseComparison[];
  /** Names of the cases that the gate holds against the head. */
  flagged: readonly string[];
}

interface Remembered extends JudgedCases {
  /** Of its row: each change of it makes another one. */
  version: string;
}

/** Cases of all verdicts that are remembered, at most: each takes some 300 bytes. */
const mostRemembered = 20_000;

interface Memory {
  /** Those that were asked for last stand last. */
  all: Map<string, Remembered>;
  /** Of all of them together. */
  cases: number;
}
const memories = new WeakMap<Database, Memory>();

/**
 * The cases of suite runs as their verdicts have them; none while a verdict is open. A list of them is read page by page, and
 * the verdict on 2,000 cases is half a megabyte: the last ones are remembered, and only whether they are still the same is
 * looked up.
 */
export async function readJudgedCases(
  database: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<JudgedCases[]> {
  const memory = memories.get(database) ?? { all: new Map<string, Remembered>(), cases: 0 };
  memories.set(database, memory);
  const keyOf = (id: string) => `${tenantId} ${id}`;
  const known = new Map(ids.map((id) => [id, memory.all.get(keyOf(id))]));
  const rows = await readInTenant(
    database,
    tenantId,
    sql<{ id: string; version: string; cases: CaseComparison[] | null; flagged: string[] | null }>`${prepared}
      select s.id, s.xmin::text as version, v.cases, v.flagged
      from unnest(${ids}::uuid[], ${ids.map((id) => known.get(id)?.version ?? '')}::text[]) k (id, version)
      join test_suite_runs s on s.id = k.id
      left join lateral (
        select s.verdict_detail -> 'cases' as cases, s.verdict_detail -> 'flagged' as flagged
        where s.xmin::text <> k.version) v on true`,
  );
  return rows.map(({ id, version, cases, flagged }) => {
    const same = known.get(id);
    const judged =
      same?.version === version
        ? same
        : { id, version, cases: sortCases(cases ?? [], flagged ?? []), flagged: flagged ?? [] };
    remember(memory, keyOf(id), judged);
    return judged;
  });
}

export const judgedCases = byId(readJudgedCases);

/** As the newest one. Those that nobody has asked for longest make room; of what has no cases there is nothing to keep. */
function remember(memory: Memory, key: string, judged: Remembered): void {
  forget(memory, key);
  if (judged.cases.length === 0) return;
  memory.all.set(key, judged);
  memory.cases += judged.cases.length;
  for (const oldest of memory.all.keys()) {
    if (memory.cases <= mostRemembered) return;
    forget(memory, oldest);
  }
}

function forget(memory: Memory, key: string): void {
  memory.cases -= memory.all.get(key)?.cases.length ?? 0;
  memory.all.delete(key);
}
