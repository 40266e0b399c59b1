import { MeasuredJudge } from '@proofmark/contracts/judge-measurement';
import { type Verdict, VerdictSettings } from '@proofmark/contracts/verdict';
import { withoutSetting } from '@proofmark/domain/comparability-key';
import { type AnswerComparison, type AnsweredTrial, compareAnswers } from '@proofmark/domain/compare-answers';
import { decideCells, type Trial } from '@proofmark/domain/decide-verdict';
import { sql } from 'kysely';
import { prepared } from '../../database/prepared.ts';
import { type Database, readInTenant } from '../../database/transactions.ts';
import { readTrials, type SuiteRunOfTrials, suiteRunOfTrials } from '../../judging/collect-trials.ts';
import { byRow } from '../loaders.ts';

/** Two suite runs, the second of which is judged. */
export interface ComparedIds {
  baseId: string;
  headId: string;
}

interface ComparedSuiteRun extends SuiteRunOfTrials {
  settings: unknown;
  judge: unknown;
  cellKey: string;
}

/** What labelled answers said about the judge of a suite run when it was judged. */
const KeptJudge = MeasuredJudge.nullable();

/**
 * The verdicts on pairs of suite runs, each under the settings of its second one. The pairs of one group are looked at
 * together, as the cells of a suite are. Everything is read at once, and nothing is stored.
 */
export async function compareGroups(
  database: Database,
  tenantId: string,
  groups: readonly (readonly ComparedIds[])[],
): Promise<Verdict[][]> {
  const pairs = groups.flat();
  const ids = pairs.flatMap(({ baseId, headId }) => [baseId, headId]);
  const rows = await readInTenant(
    database,
    tenantId,
    // A verdict in detail is large: its judge is read of the second ones only, and only where there is one.
    sql<ComparedSuiteRun>`${prepared}
      select ${suiteRunOfTrials}, settings, cell_key as "cellKey",
        case when calibration <> 'null' and id = any(${pairs.map(({ headId }) => headId)}::uuid[]) then verdict_detail -> 'judge' end as judge
      from test_suite_runs where id = any(${ids}::uuid[])`,
  );
  const trials = await readTrials(database, tenantId, rows);
  const suiteRuns = new Map(rows.map((row) => [row.id, row]));
  return groups.map((group) =>
    decideCells(
      group.map(({ baseId, headId }) => {
        const ofHead = suiteRuns.get(headId);
        if (ofHead === undefined) throw new Error(`the suite run ${headId} vanished while it was compared`);
        // Two cells of a matrix differ in their setting, and are compared for just that.
        const isAcross = suiteRuns.get(baseId)?.cellKey !== ofHead.cellKey;
        const rekeyed = ({ comparabilityKey: key, ...trial }: Trial) => ({
          ...trial,
          comparabilityKey: withoutSetting(key),
        });
        const sideOf = (id: string): Trial[] =>
          isAcross ? (trials.get(id) ?? []).map(rekeyed) : (trials.get(id) ?? []);
        return {
          head: sideOf(headId),
          base: sideOf(baseId),
          // Two runs that cannot be compared say nothing about each other, whatever their cases came to.
          settings: { ...VerdictSettings.parse(ofHead.settings), withoutBase: 'neutral' as const },
          judge: KeptJudge.parse(ofHead.judge),
        };
      }),
    ),
  );
}

/** An answer with the test run that gave it. */
export interface ShownAnswer extends AnsweredTrial {
  testRunId: string;
}

interface AnswerRow extends ShownAnswer {
  suiteRunId: string;
  caseName: string;
}

/** As much of an answer as a page shows. */
const answerCharacters = 4_000;

/** Cases of two suite runs that are held side by side. */
interface AnswersQuestion extends ComparedIds {
  caseNames: readonly string[];
}

/** The answers and tool calls of these cases in both suite runs, by the name of the case. */
export const answersOf = byRow(async (database, tenantId, questions: readonly AnswersQuestion[]) => {
  const wanted = questions.flatMap(({ baseId, headId, caseNames }) =>
    [baseId, headId].flatMap((id) => caseNames.map((caseName) => ({ id, caseName }))),
  );
  const rows = await readInTenant(
    database,
    tenantId,
    sql<AnswerRow>`${prepared}
      select c.run_id as "suiteRunId", c.case_name as "caseName", c.id as "testRunId", c.repetition, c.status = 'passed' as passed,
        left(c.actual_response, ${answerCharacters}) as answer,
        coalesce((select jsonb_agg(t.call -> 'name' order by t.at)
          from jsonb_array_elements(c.tool_calls) with ordinality t(call, at)), '[]') as tools
      from (select distinct * from unnest(${wanted.map(({ id }) => id)}::uuid[], ${wanted.map(({ caseName }) => caseName)}::text[])) w(id, name)
      join test_case_results c on c.run_id = w.id and c.case_name = w.name and c.status <> 'skipped'
      order by c.repetition`,
  );
  const byCase = Map.groupBy(rows, ({ suiteRunId, caseName }) => JSON.stringify([suiteRunId, caseName]));
  const side = (id: string, name: string) => byCase.get(JSON.stringify([id, name])) ?? [];
  return questions.map(
    ({ baseId, headId, caseNames }) =>
      new Map<string, AnswerComparison<ShownAnswer>>(
        caseNames.map((name) => [name, compareAnswers(side(baseId, name), side(headId, name))]),
      ),
  );
});
