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
const rememberedBy = new WeakMap<Database, Map<string, Remembered>>();

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
  const remembered = rememberedBy.get(database) ?? new Map<string, Remembered>();
  rememberedBy.set(database, remembered);
  const keyOf = (id: string) => `${tenantId} ${id}`;
  const known = new Map(ids.map((id) => [id, remembered.get(keyOf(id))]));
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
    remember(remembered, keyOf(id), judged);
    return judged;
  });
}

export const judgedCases = byId(readJudgedCases);

/** As the newest one. Those that nobody has asked for longest make room. */
function remember(all: Map<string, Remembered>, key: string, judged: Remembered): void {
  all.delete(key);
  all.set(key, judged);
  let size = [...all.values()].reduce((sum, { cases }) => sum + cases.length, 0);
  for (const [oldest, { cases }] of all) {
    if (size <= mostRemembered) return;
    all.delete(oldest);
    size -= cases.length;
  }
}
