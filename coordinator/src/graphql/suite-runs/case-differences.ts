import type { CaseComparison, CaseStatus } from '@proofmark/contracts/verdict';
import type { AnswerComparison, AnsweredTrial } from '@proofmark/domain/compare-answers';
import { betaBinomial } from '@proofmark/domain/statistics/beta-binomial';
import { builder } from '../builder.ts';
import type { GraphqlContext } from '../context.ts';
import { CaseResultType } from '../words.ts';
import { answersOf } from './compare-suite-runs.ts';

type ReadAnswers = (context: GraphqlContext) => Promise<AnswerComparison>;

/** One case of a comparison; an answer of each side is read only where it is asked for. */
export interface CaseDifference {
  comparison: CaseComparison;
  answers: ReadAnswers;
}

interface CaseSide {
  passed: number;
  scored: number;
  status: CaseStatus | null;
  shown: (context: GraphqlContext) => Promise<AnsweredTrial | null>;
}

const noAnswers: AnswerComparison = { base: null, head: null, answerChanged: false, toolsChanged: false };

/** Cases of two suite runs; the answers of all of them are read at once. Without a base there are those of the head. */
export function differencesOf(
  cases: readonly CaseComparison[],
  baseId: string | null,
  headId: string,
): CaseDifference[] {
  const question = { baseId: baseId ?? headId, headId, caseNames: cases.map(({ caseName }) => caseName) };
  return cases.map((comparison) => ({
    comparison,
    answers: async (context) => (await answersOf(context, question)).get(comparison.caseName) ?? noAnswers,
  }));
}

/** Cases that broke come first, then those that are least likely to have fallen by chance. */
export function sortCases(cases: readonly CaseComparison[], flagged: readonly string[] = []): CaseComparison[] {
  const broke = new Set(flagged);
  const rank = ({ caseName }: CaseComparison) => (broke.has(caseName) ? 0 : 1);
  return cases.toSorted((a, b) => rank(a) - rank(b) || (a.p ?? 2) - (b.p ?? 2));
}

export function isDifferent({ base, head }: CaseComparison): boolean {
  if (base === null || head === null) return true;
  return base.passed * (head.passed + head.failed) !== head.passed * (base.passed + base.failed);
}

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
      resolve: ({ comparison }) => probabilityWorse(comparison),
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

function probabilityWorse({ base, head }: CaseComparison): number | null {
  if (base === null || head === null) return null;
  const counts = [base.passed, base.passed + base.failed, head.passed, head.passed + head.failed] as const;
  return counts[1] === 0 || counts[3] === 0 ? null : betaBinomial(counts).probRegression;
}

export const CaseDifferenceConnectionType = builder.connectionObject(
  { type: CaseDifferenceType, name: 'CaseDifferenceConnection', description: 'A page of cases on both sides.' },
  { name: 'CaseDifferenceEdge', description: 'A row of a page of cases on both sides.' },
);
