import type { CaseComparison, CaseStatus } from '@proofmark/contracts/verdict';
import type { AnswerComparison } from '@proofmark/domain/compare-answers';
import { betaBinomial } from '@proofmark/domain/statistics/beta-binomial';
import { sql } from 'kysely';
import { readInTenant } from '../../database/transactions.ts';
import { builder } from '../builder.ts';
import type { GraphqlContext } from '../context.ts';
import { TestCaseType, testCaseById } from '../definitions/test-cases.ts';
import { byRow } from '../loaders.ts';
import { CaseResultType, enumOf } from '../words.ts';
import { answersOf, type ShownAnswer } from './compare-suite-runs.ts';

type ReadAnswers = (context: GraphqlContext) => Promise<AnswerComparison<ShownAnswer>>;

/** What became of a case against the other side, the worst first. */
const changes = ['broke', 'worse', 'only-base', 'only-head', 'better', 'same'] as const;
export type CaseChange = (typeof changes)[number];

/** One case of a comparison; an answer of each side is read only where it is asked for. */
export interface CaseDifference {
  /** The suite run that is judged. */
  headId: string;
  comparison: CaseComparison;
  change: CaseChange;
  answers: ReadAnswers;
}

interface CaseSide {
  passed: number;
  scored: number;
  status: CaseStatus | null;
  shown: (context: GraphqlContext) => Promise<ShownAnswer | null>;
}

const noAnswers: AnswerComparison<ShownAnswer> = { base: null, head: null, answerChanged: false, toolsChanged: false };

/** Cases of two suite runs; the answers of all of them are read at once. Without a base there are those of the head. */
export function differencesOf(
  cases: readonly CaseComparison[],
  { baseId, headId, flagged }: { baseId: string | null; headId: string; flagged: readonly string[] },
): CaseDifference[] {
  const question = { baseId: baseId ?? headId, headId, caseNames: cases.map(({ caseName }) => caseName) };
  const broke = new Set(flagged);
  return cases.map((comparison) => ({
    headId,
    comparison,
    change: caseChangeOf(comparison, broke),
    answers: async (context) => (await answersOf(context, question)).get(comparison.caseName) ?? noAnswers,
  }));
}

/** Cases that broke come first, then those that are least likely to have fallen by chance. */
export function sortCases(cases: readonly CaseComparison[], flagged: readonly string[] = []): CaseComparison[] {
  const broke = new Set(flagged);
  const rank = ({ caseName }: CaseComparison) => (broke.has(caseName) ? 0 : 1);
  return cases.toSorted((a, b) => rank(a) - rank(b) || (a.p ?? 2) - (b.p ?? 2));
}

/** `broke`: the names of the cases that the gate holds against the head. */
export function caseChangeOf({ caseName, base, head }: CaseComparison, broke: ReadonlySet<string>): CaseChange {
  if (broke.has(caseName)) return 'broke';
  if (base === null || head === null) return head === null ? 'only-base' : 'only-head';
  const difference = head.passed * (base.passed + base.failed) - base.passed * (head.passed + head.failed);
  if (difference === 0) return 'same';
  return difference < 0 ? 'worse' : 'better';
}

/** Where one side alone was scored, there is no rate that would be the same. */
export function isDifferent(one: CaseComparison): boolean {
  const [base, head] = [isScored(one.base), isScored(one.head)];
  return base !== head || caseChangeOf(one, new Set()) !== 'same';
}

const isScored = (side: CaseComparison['head']): boolean => side !== null && side.passed + side.failed > 0;

export const CaseChangeType = enumOf<CaseChange>('CaseChange', 'What became of a case against the other side.', {
  broke: 'It is one of those that the gate holds against the head.',
  worse: 'It passed less often; that may be chance.',
  'only-base': 'The head has no such case.',
  'only-head': 'The base has no such case.',
  better: 'It passed more often; that may be chance.',
  same: 'It passed as often.',
});

/** The case of a name in a suite run, as it is stored now. */
const testCaseOf = byRow(async (database, tenantId, rows: readonly { suiteRunId: string; caseName: string }[]) => {
  const found = await readInTenant(
    database,
    tenantId,
    sql<{ suiteRunId: string; caseName: string; id: string }>`
      select suite_run_id as "suiteRunId", case_name as "caseName", test_case_id as id from case_summaries
      where (suite_run_id, case_name) in (select * from unnest(
        ${rows.map(({ suiteRunId }) => suiteRunId)}::uuid[], ${rows.map(({ caseName }) => caseName)}::text[]))`,
  );
  const ids = new Map(found.map(({ suiteRunId, caseName, id }) => [JSON.stringify([suiteRunId, caseName]), id]));
  return rows.map(({ suiteRunId, caseName }) => ids.get(JSON.stringify([suiteRunId, caseName])) ?? null);
});

const CaseSideType = builder.objectRef<CaseSide>('CaseSide').implement({
  description: 'What a case came to on one side of a comparison, with the answer that tells most.',
  fields: (t) => ({
    passed: t.exposeInt('passed', { description: 'How many scored test runs passed.' }),
    scored: t.exposeInt('scored', { description: 'How many were scored.' }),
    status: t.field({
      type: CaseResultType,
      nullable: true,
      description: 'What the repetitions come to.',
      resolve: ({ status }) => status,
    }),
    answer: t.string({
      nullable: true,
      description: 'An answer, on both sides to the same repetition where there is one; at most 4000 characters.',
      resolve: async ({ shown }, _args, context) => (await shown(context))?.answer ?? null,
    }),
    testRunId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The test run that gave that answer; null where there is none.',
      resolve: async ({ shown }, _args, context) => (await shown(context))?.testRunId ?? null,
    }),
    tools: t.stringList({
      description: 'Tools that were called for that answer, in order.',
      resolve: async ({ shown }, _args, context) => [...((await shown(context))?.tools ?? [])],
    }),
  }),
});

export const CaseDifferenceType = builder.objectRef<CaseDifference>('CaseDifference').implement({
  description: 'One case on both sides.',
  fields: (t) => ({
    caseName: t.string({ description: 'Name of the case.', resolve: ({ comparison }) => comparison.caseName }),
    change: t.field({ type: CaseChangeType, description: 'What became of it.', resolve: ({ change }) => change }),
    testCase: t.field({
      type: TestCaseType,
      nullable: true,
      authScopes: { readAll: true },
      description: 'The case as the base branch defines it now; null when it was deleted, or was not executed.',
      resolve: async ({ headId, comparison: { caseName } }, _args, context) => {
        const id = await testCaseOf(context, { suiteRunId: headId, caseName });
        return id === null ? null : await testCaseById(context, id);
      },
    }),
    base: t.field({
      type: CaseSideType,
      nullable: true,
      description: 'Null when the base lacks the case, or has another one of its name.',
      resolve: ({ comparison: { base, baseStatus }, answers }) =>
        sideOf(base, baseStatus, async (context) => (await answers(context)).base),
    }),
    head: t.field({
      type: CaseSideType,
      nullable: true,
      description: 'Null when the head lacks the case.',
      resolve: ({ comparison: { head, headStatus }, answers }) =>
        sideOf(head, headStatus, async (context) => (await answers(context)).head),
    }),
    isQuarantined: t.boolean({
      description: 'Whether it is so flaky on the base branch that it cannot fail a pull request alone.',
      resolve: ({ comparison }) => comparison.quarantined,
    }),
    notComparable: t.boolean({
      description: 'Whether the sides have different cases of this name, or measured them differently.',
      resolve: ({ comparison }) => comparison.notComparable,
    }),
    changedParts: t.stringList({
      description:
        'What differs where they cannot be compared: case, judge, simulator, mock, embedding, metrics, limits, evaluator, ai_configuration, setting, measurement.',
      resolve: ({ comparison }) => [...comparison.changedParts],
    }),
    p: t.float({
      nullable: true,
      description: 'Chance of so few passes if nothing had changed in this case.',
      resolve: ({ comparison }) => comparison.p,
    }),
    adjustedP: t.float({
      nullable: true,
      description: 'The same, adjusted for all cases that were looked at.',
      resolve: ({ comparison }) => comparison.adjustedP,
    }),
    probabilityWorse: t.float({
      nullable: true,
      complexity: 10,
      description: 'Probability that the case got worse. It orders a list; it never decides.',
      resolve: ({ comparison }, _args, context) => probabilityWorse(context, comparison),
    }),
    answerChanged: t.boolean({
      description: 'Whether the answers shown here differ.',
      resolve: async ({ answers }, _args, context) => (await answers(context)).answerChanged,
    }),
    toolsChanged: t.boolean({
      description: 'Whether the calls shown here differ, in names or order.',
      resolve: async ({ answers }, _args, context) => (await answers(context)).toolsChanged,
    }),
  }),
});

function sideOf(counts: CaseComparison['base'], status: CaseStatus | null, shown: CaseSide['shown']): CaseSide | null {
  return counts && { passed: counts.passed, scored: counts.passed + counts.failed, status, shown };
}

const knownProbabilities = new WeakMap<GraphqlContext, Map<string, number>>();

/** Computed once for equal counts of a request: each takes milliseconds, and most cases of a page share theirs. */
function probabilityWorse(context: GraphqlContext, { base, head }: CaseComparison): number | null {
  if (base === null || head === null) return null;
  const counts = [base.passed, base.passed + base.failed, head.passed, head.passed + head.failed] as const;
  if (counts[1] === 0 || counts[3] === 0) return null;
  const known = knownProbabilities.get(context) ?? new Map<string, number>();
  knownProbabilities.set(context, known);
  const probability = known.get(counts.join()) ?? betaBinomial(counts).probRegression;
  known.set(counts.join(), probability);
  return probability;
}

export const CaseDifferenceConnectionType = builder.connectionObject(
  { type: CaseDifferenceType, name: 'CaseDifferenceConnection', description: 'A page of cases on both sides.' },
  { name: 'CaseDifferenceEdge', description: 'A row of a page of cases on both sides.' },
);
