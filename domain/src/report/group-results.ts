import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { TestCase } from '@proofmark/contracts/test-case';
import { passRate } from '../results/totals.ts';

/** Test runs whose cases share a difficulty or a tag. */
export interface ResultGroup {
  by: 'difficulty' | 'tag';
  name: string;
  passed: number;
  executed: number;
  /** Percent 0–100. */
  passRate: number | null;
}

interface GroupedResult {
  case: Pick<TestCase, 'difficulty' | 'tags'>;
  outcome: Pick<CaseOutcome, 'status'>;
}

/** How each difficulty and each tag fared, in the order in which they first occur; a test run counts once for each of its tags. */
export function groupResults(results: readonly GroupedResult[]): ResultGroup[] {
  const difficulties = results.map((result) => ({ name: result.case.difficulty, result }));
  const tags = results.flatMap((result) => result.case.tags.map((name) => ({ name, result })));
  return [...groupsOf('difficulty', difficulties), ...groupsOf('tag', tags)];
}

function groupsOf(by: ResultGroup['by'], named: readonly { name: string; result: GroupedResult }[]): ResultGroup[] {
  return [...Map.groupBy(named, ({ name }) => name)].map(([name, members]) => {
    const passed = members.filter(({ result }) => result.outcome.status === 'passed').length;
    const executed = members.length;
    return { by, name, passed, executed, passRate: passRate({ passed, total: executed, skipped: 0 }) };
  });
}

/**
 * The pass rate in which each difficulty counts alike, so that many easy cases hide no hard ones; percent 0–100. Null where
 * there are no two to weigh.
 */
export function balancedPassRate(groups: readonly ResultGroup[]): number | null {
  const rates = groups.flatMap(({ by, passRate: rate }) => (by === 'difficulty' && rate !== null ? [rate] : []));
  return rates.length < 2 ? null : rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
}
