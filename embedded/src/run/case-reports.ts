import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { LoadedSuite } from '@proofmark/contracts/load-definitions';
import { describeFailure } from '@proofmark/domain/describe-failure';
import type { CaseReport } from '@proofmark/domain/run-report';
import type { ReportedTestRun } from '@proofmark/domain/test-report';
import { readResults } from './read-results.ts';
import type { TestRunRow } from './test-run-row.ts';

/** Answers are kept of so many failed cases: nobody looks at more of them in one summary, and they may be long. */
const MAX_ANSWERS = 100;

/** Collects what a summary says of each case while results pass by. */
export interface CaseCollector {
  see: (testRun: ReportedTestRun) => void;
  /** One entry per case name; answers only of cases that failed, because only those are looked at. */
  reports: (names: readonly string[], baseAnswers: ReadonlyMap<string, string | null>) => CaseReport[];
  /** The cases whose answers are worth comparing. */
  failed: () => ReadonlySet<string>;
}

export function collectCases({ casePositions }: Pick<LoadedSuite, 'casePositions'>): CaseCollector {
  const failures = new Map<string, { reason: string | null; answer: string | null }>();
  return {
    see: ({ caseName, outcome }) => {
      if (outcome.status === 'passed' || failures.has(caseName)) return;
      const answer = failures.size < MAX_ANSWERS ? outcome.response : null;
      failures.set(caseName, { reason: firstFailure(outcome), answer });
    },
    failed: () => new Set([...failures.keys()].slice(0, MAX_ANSWERS)),
    reports: (names, baseAnswers) =>
      names.map((caseName) => ({
        caseName,
        line: casePositions.get(caseName)?.line ?? null,
        firstFailure: failures.get(caseName)?.reason ?? null,
        headAnswer: failures.get(caseName)?.answer ?? null,
        baseAnswer: baseAnswers.get(caseName) ?? null,
      })),
  };
}

/** In the words of the coordinator's comment, so that both ways to run say the same. */
const firstFailure = (outcome: CaseOutcome): string | null =>
  describeFailure({
    ...outcome,
    toolsMatched: outcome.tools.matched,
    toolProblems: outcome.tools.problems,
    unmatchedCalls: outcome.mocks?.unmatchedCalls,
  });

/** The first answer of each of these cases. */
export async function firstAnswers(
  path: string,
  rows: readonly TestRunRow[],
  names: ReadonlySet<string>,
): Promise<Map<string, string | null>> {
  const answers = new Map<string, string | null>();
  const wanted = rows.filter(({ testRun }) => names.has(testRun.caseName));
  for await (const { caseName, outcome } of readResults(path, wanted)) {
    if (!answers.has(caseName)) answers.set(caseName, outcome.response);
  }
  return answers;
}
