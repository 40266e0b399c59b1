import { Gate } from '@proofmark/contracts/gate';
import type { VerdictSettings } from '@proofmark/contracts/verdict';
import { decideVerdict, type Trial } from '../verdict/decide-verdict.ts';
import { outcomeOf } from './outcome.ts';
import type { CaseReport, CellReport, RunReport, SuiteReport } from './run-report.ts';

const settings: VerdictSettings = {
  gate: Gate.parse({}),
  alertOnRegression: true,
  alertThresholdPercent: 10,
  onError: 'block',
};

function trials(counts: Record<string, number>, of: number): Trial[] {
  return Object.entries(counts).flatMap(([caseName, passed]) =>
    Array.from({ length: of }, (_, index): Trial => {
      return { caseName, comparabilityKey: caseName, status: index < passed ? 'passed' : 'failed', errorKind: null };
    }),
  );
}

/** A cell with three trials of each case on both sides: how many passed, by the name of the case. */
export function sampleCell(
  base: Record<string, number> | null,
  head: Record<string, number>,
  rest: Partial<CellReport> = {},
): CellReport {
  const verdict = decideVerdict({ base: base === null ? null : trials(base, 3), head: trials(head, 3), settings });
  const cases = Object.entries(head).map(([caseName, passed], index): CaseReport => {
    const failed = passed < 3;
    return {
      caseName,
      line: 10 + index,
      firstFailure: failed ? 'contains_phrases: "17" missing' : null,
      headAnswer: failed ? 'We are open whenever.' : null,
      baseAnswer: failed ? 'Monday to Friday, 9 to 17.' : null,
    };
  });
  const total = Object.keys(head).length * 3;
  return {
    cellKey: '',
    outcome: outcomeOf(verdict),
    conclusion: verdict.conclusion,
    verdict,
    detail: null,
    done: total,
    total,
    costUsd: null,
    cases,
    ...rest,
  };
}

export function sampleSuiteReport(suiteName: string, ...cells: CellReport[]): SuiteReport {
  return { suiteName, suitePath: `evals/${suiteName.toLowerCase().replaceAll(' ', '-')}.suite.yaml`, cells };
}

/** A run of these suites, as the tests of this folder show it. */
export function sampleRunReport(suites: SuiteReport[], rest: Partial<RunReport> = {}): RunReport {
  return {
    runId: 'run-1',
    headSha: '1edbf6a0000000000000000000000000000000aa',
    baseSha: '37da56c0000000000000000000000000000000bb',
    baseLabel: 'merge base',
    detailsUrl: 'https://proofmark.example.com/runs/run-1',
    fileUrl: (path, line) => `https://github.example.com/o/r/blob/1edbf6a/${path}#L${line}`,
    suites,
    durationMs: 4_200,
    costUsd: 0.42,
    ...rest,
  };
}

export const good = { a: 3, b: 3, c: 3, d: 3, Hours: 3, Refund: 3 };
export const broken = { a: 3, b: 3, c: 3, d: 3, Hours: 0, Refund: 0 };
