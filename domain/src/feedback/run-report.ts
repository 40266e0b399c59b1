import { VerdictWord } from '@proofmark/contracts/gate';
import type { Conclusion, Verdict } from '@proofmark/contracts/verdict';

/** What became of a suite in a run: a verdict's word, or why there is none (docs/lifecycle.md#what-appears-on-github). */
export const outcomes = [
  ...VerdictWord.options,
  ...(['below-minimum', 'invalid', 'timed-out', 'superseded', 'cancelled', 'unaffected', 'running'] as const),
];
export type Outcome = (typeof outcomes)[number];

/** One case as a reader of the pull request needs it. */
export interface CaseReport {
  caseName: string;
  /** Line of the case's name in the suite file at the head; null when the case exists on the base only. */
  line: number | null;
  /** The row of a file that it was made of; absent: it was not, or nobody kept which. */
  row?: { file: string; line: number };
  /** Why the first failing head test run failed; null when none did. */
  firstFailure: string | null;
  headAnswer: string | null;
  baseAnswer: string | null;
  /** What a judge wrote about the first failing test run; absent: none did. */
  judgeReason?: string | null;
  /** Names of the tools that were called, in order; absent: nobody kept them. */
  toolCalls?: { base: readonly string[]; head: readonly string[] };
}

/** One matrix cell of a suite, or the whole suite when it has no matrix (`cellKey` is ''). */
export interface CellReport {
  cellKey: string;
  outcome: Outcome;
  conclusion: Conclusion | null;
  verdict: Verdict | null;
  /** Why the suite run ended without a verdict, in our own words. */
  detail: string | null;
  done: number;
  total: number;
  costUsd: number | null;
  /** Where results come from that were not measured anew: `promoted from #12`, `reused from 1edbf6a2`. */
  takenFrom?: string;
  cases: readonly CaseReport[];
}

export interface SuiteReport {
  suiteName: string;
  suitePath: string;
  cells: readonly CellReport[];
  /** The page of the run that it was part of; absent: that of the report. */
  detailsUrl?: string | null;
  /** What became of failed cases that somebody ran again, in our own words; it changes no verdict. */
  diagnosis?: string;
}

/** A file that definitions are made of, and that is another one on the base. */
export interface ChangedFile {
  path: string;
  /** Lines as `- old` and `+ new` with a little around them; null: too many to show. */
  hunks: string | null;
  added: number;
  removed: number;
}

/** A suite that the base has and the head has no longer. */
export interface RemovedSuite {
  suiteName: string;
  /** Its last test runs on the base; null where nobody knows any. */
  last: { passed: number; total: number } | null;
}

/** One thing that is wrong in a definition file at the head; `file` is '' when it stands in none. */
export interface ReportedProblem {
  file: string;
  line: number;
  message: string;
}

/** Everything that the checks, the comment and the step summary of one run are rendered from. */
export interface RunReport {
  runId: string;
  headSha: string;
  baseSha: string | null;
  /** How the base was chosen: `merge base`, `3 commits older` …; null without a base. */
  baseLabel: string | null;
  /** Page of the run; null when there is none (embedded). */
  detailsUrl: string | null;
  /** The pages of all jobs that this was put together from; absent: there was one. */
  pages?: readonly { job: string; url: string }[];
  /** Address of a file of the repository at the head, to link cases to; null where files have no address. */
  fileUrl: ((path: string, line: number) => string) | null;
  suites: readonly SuiteReport[];
  /** Absent: none that anybody knows of. */
  removedSuites?: readonly RemovedSuite[];
  /** What differs in the definitions between the two sides; absent: nobody looked. */
  changes?: readonly ChangedFile[];
  /** Suites whose gate this change makes another one, which counts from when it is merged. */
  changedGates?: readonly string[];
  /** Definitions that were run and are not those of the commit; empty: nobody could read it. Absent: nothing speaks against them. */
  unverified?: readonly string[];
  /** Jobs that found a regression on another commit of the pull request and have no result for this one. */
  openRegressions?: readonly { job: string; headSha: string }[];
  /** What is wrong in the definitions, so that nothing could be run; absent: nothing. */
  invalid?: readonly ReportedProblem[];
  /** Nothing was run yet: the commit comes from somebody without rights, and a maintainer has to agree first. */
  awaitsApproval?: boolean;
  /** Somebody with rights agreed, and the run could not be started all the same. */
  refusedApproval?: { by: string; why: string };
  /** Pools that the run waits for, or waited for until its deadline, because they have no runner; absent: none. */
  poolsWithoutRunners?: readonly string[];
  durationMs: number | null;
  costUsd: number | null;
  /** What the results had cost that were taken over; absent where all of them were measured. */
  savedUsd?: number;
}

const cell: CellReport = {
  cellKey: '',
  outcome: 'unaffected',
  conclusion: 'skipped',
  verdict: null,
  detail: null,
  done: 0,
  total: 0,
  costUsd: null,
  cases: [],
};

/** A suite that was not run because the change cannot affect it. */
export function unaffectedSuite(suiteName: string, suitePath: string): SuiteReport {
  return { suiteName, suitePath, cells: [cell] };
}

/** What is said when nothing was found that could be run. */
export const noSuiteFound = 'No suite matches the patterns';

export const isInvalid = ({ invalid = [] }: Pick<RunReport, 'invalid'>): boolean => invalid.length > 0;

/** `Invalid definition: 3 problems`. */
export function invalidHeadline(problems: readonly ReportedProblem[]): string {
  const [only] = problems;
  if (problems.length === 1 && only?.message === noSuiteFound) return noSuiteFound;
  return `Invalid definition: ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`;
}

/** `proofmark / Support agent`: the name of the check of one suite. */
export function suiteCheckName(checkName: string, suiteName: string): string {
  return `${checkName} / ${suiteName}`;
}
