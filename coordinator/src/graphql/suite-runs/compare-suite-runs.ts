import { MeasuredJudge } from '@proofmark/contracts/judge-measurement';
import { type Verdict, VerdictSettings } from '@proofmark/contracts/verdict';
import { withoutSetting } from '@proofmark/domain/comparability-key';
import { type AnswerComparison, type AnsweredTrial, compareAnswers } from '@proofmark/domain/compare-answers';
import { decideCells } from '@proofmark/domain/decide-cells';
import type { Trial } from '@proofmark/domain/decide-verdict';
import { sql } from 'kysely';
import { z } from 'zod';
import { type Database, inTenant, readInTenant } from '../../database/transactions.ts';
import { trialsOf } from '../../judging/collect-trials.ts';

/** Two suite runs, the second of which is judged. */
export interface ComparedIds {
  baseId: string;
  headId: string;
}

/** What labelled answers said about the judge of a suite run when it was judged. */
const KeptJudge = z.object(MeasuredJudge.shape).nullable();

/**
 * The verdicts on pairs of suite runs that are looked at together, each under the settings of its second one, in the
 * same order. Nothing is stored.
 */
export async function compareTogether(
  database: Database,
  tenantId: string,
  pairs: readonly ComparedIds[],
): Promise<Verdict[]> {
  return await inTenant(database, tenantId, async (em) => {
    const { rows } = await sql<{ id: string; settings: unknown; judge: unknown; cellKey: string }>`
      select id, settings, verdict_detail -> 'judge' as judge, cell_key as "cellKey" from test_suite_runs
      where id = any(${pairs.flatMap(({ baseId, headId }) => [baseId, headId])}::uuid[])`.execute(em.getKysely());
    const suiteRuns = new Map(rows.map((row) => [row.id, row]));
    const cells = [];
    for (const { baseId, headId } of pairs) {
      const ofHead = suiteRuns.get(headId);
      if (ofHead === undefined) throw new Error(`the suite run ${headId} vanished while it was compared`);
      // Two cells of a matrix differ in their setting, and are compared for just that.
      const isAcross = suiteRuns.get(baseId)?.cellKey !== ofHead.cellKey;
      const read = async (id: string): Promise<Trial[]> => {
        const trials = await trialsOf(em, tenantId, id);
        const rekeyed = ({ comparabilityKey: key, ...trial }: Trial) => ({
          ...trial,
          comparabilityKey: withoutSetting(key),
        });
        return isAcross ? trials.map(rekeyed) : trials;
      };
      cells.push({
        head: await read(headId),
        base: await read(baseId),
        // Two runs that cannot be compared say nothing about each other, whatever their cases came to.
        settings: { ...VerdictSettings.parse(ofHead.settings), withoutBase: 'neutral' as const },
        judge: KeptJudge.parse(ofHead.judge),
      });
    }
    return decideCells(cells);
  });
}

/** The verdict of any two suite runs, under the settings of the second. Nothing is stored. */
export async function compareSuiteRuns(database: Database, tenantId: string, pair: ComparedIds): Promise<Verdict> {
  const [verdict] = await compareTogether(database, tenantId, [pair]);
  if (verdict === undefined) throw new Error('two suite runs have a verdict');
  return verdict;
}

interface AnswerRow extends AnsweredTrial {
  suiteRunId: string;
  caseName: string;
}

/** As much of an answer as a page shows. */
const answerCharacters = 4_000;

/** The answers and tool calls of these cases in both suite runs, by the name of the case. */
export async function readAnswers(
  database: Database,
  tenantId: string,
  { baseId, headId }: ComparedIds,
  caseNames: readonly string[],
): Promise<Map<string, AnswerComparison>> {
  const rows = await readInTenant(
    database,
    tenantId,
    sql<AnswerRow>`
      select c.run_id as "suiteRunId", c.case_name as "caseName", c.repetition, c.status = 'passed' as passed,
        left(c.actual_response, ${answerCharacters}) as answer,
        coalesce((select jsonb_agg(t.call -> 'name' order by t.at)
          from jsonb_array_elements(c.tool_calls) with ordinality t(call, at)), '[]') as tools
      from test_case_results c
      where c.run_id in (${baseId}, ${headId}) and c.case_name = any(${caseNames}::text[]) and c.status <> 'skipped'
      order by c.repetition`,
  );
  const side = (suiteRunId: string, name: string) =>
    rows.filter((row) => row.suiteRunId === suiteRunId && row.caseName === name);
  return new Map(caseNames.map((name) => [name, compareAnswers(side(baseId, name), side(headId, name))]));
}
