import type { CaseComparison, CaseStatus } from '@proofmark/contracts/verdict';
import type { AnswerComparison, AnsweredTrial } from '@proofmark/domain/compare-answers';
import { betaBinomial } from '@proofmark/domain/statistics/beta-binomial';
import { builder } from '../builder.ts';
import { CaseResultType } from '../words.ts';

/** One case of a comparison with an answer of each side. */
export interface CaseDifference {
  comparison: CaseComparison;
  answers: AnswerComparison;
}

interface CaseSide {
  passed: number;
  scored: number;
  status: CaseStatus | null;
  shown: AnsweredTrial | null;
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
      resolve: ({ shown }) => shown?.answer ?? null,
    }),
    tools: t.stringList({
      description: 'Tools that were called for that answer, in order.',
      resolve: ({ shown }) => [...(shown?.tools ?? [])],
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
      resolve: ({ comparison, answers }) => sideOf(comparison.base, comparison.baseStatus, answers.base),
    }),
    head: t.field({
      type: CaseSideType,
      nullable: true,
      description: 'Null when the head lacks the case.',
      resolve: ({ comparison, answers }) => sideOf(comparison.head, comparison.headStatus, answers.head),
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
      resolve: ({ answers }) => answers.answerChanged,
    }),
    toolsChanged: t.boolean({
      description: 'Whether the calls shown here differ, in names or order.',
      resolve: ({ answers }) => answers.toolsChanged,
    }),
  }),
});

function sideOf(
  counts: CaseComparison['base'],
  status: CaseStatus | null,
  shown: AnsweredTrial | null,
): CaseSide | null {
  return counts && { passed: counts.passed, scored: counts.passed + counts.failed, status, shown };
}

function probabilityWorse({ base, head }: CaseComparison): number | null {
  if (base === null || head === null) return null;
  const counts = [base.passed, base.passed + base.failed, head.passed, head.passed + head.failed] as const;
  return counts[1] === 0 || counts[3] === 0 ? null : betaBinomial(counts).probRegression;
}
