import type { CaseLimits, CaseWork, Instrument, Variant } from '@proofmark/contracts/case-work';
import { trialSeed } from '@proofmark/contracts/content-hash';
import type { TestCase } from '@proofmark/contracts/test-case';
import type { ResolvedVariables } from '@proofmark/contracts/variables';
import type { VariableErrorCode } from '../variables/variable-rules.ts';
import { type CaseInstrument, instrumentsOfCases } from './build-instrument.ts';
import { caseHash, caseKey } from './content-hashes.ts';
import type { PreparedAgent } from './prepare-case.ts';
import type { SelectedCase } from './select-cases.ts';

export interface PlannedTestRun {
  caseName: string;
  sortOrder: number;
  repetition: number;
  caseKey: string;
  caseHash: string;
  instrumentHash: string;
  /** Null when they could not be resolved or the case is skipped. */
  resolvedVariables: ResolvedVariables | null;
  /** Null: decided without a runner. */
  work: CaseWork | null;
  decided: DecidedTestRun | null;
}

export type DecidedTestRun =
  | { status: 'error'; errorKind: 'variables'; code: VariableErrorCode; message: string }
  | { status: 'skipped'; reason: string };

/** What all test runs of one suite run have in common. */
export interface SuiteRunContext {
  suiteName: string;
  suitePath: string;
  variant: Variant;
  cellKey: string;
  runSeed: string;
  repetitions: number;
  instrument: Instrument;
  limits: CaseLimits;
  fileDigests: (testCase: TestCase) => (string | null)[];
}

export interface PreparedCase {
  selected: SelectedCase;
  /** The case with its texts filled in, or as written when that failed. */
  task: TestCase;
  agent: PreparedAgent;
}

/** Round k holds repetition k of every case, in suite order. A skipped case stands in the first round only. */
export function planTestRuns(context: SuiteRunContext, cases: readonly PreparedCase[]): PlannedTestRun[] {
  const instrumentOf = instrumentsOfCases(context.instrument, context.limits);
  const plans = cases.map((prepared) => ({
    skipped: prepared.selected.skip !== null,
    at: planCase(context, prepared, instrumentOf(prepared.task)),
  }));
  const rounds = Array.from({ length: context.repetitions }, (_, index) => index + 1);
  return rounds.flatMap((repetition) =>
    plans.filter(({ skipped }) => !skipped || repetition === 1).map(({ at }) => at(repetition)),
  );
}

/** A function from the repetition to its test run: what does not depend on the repetition is computed once. */
function planCase(
  context: SuiteRunContext,
  { selected, task, agent }: PreparedCase,
  { instrument, hash }: CaseInstrument,
): (repetition: number) => PlannedTestRun {
  const digests = context.fileDigests(task);
  const shared = {
    caseName: task.name,
    sortOrder: selected.sortOrder,
    caseKey: caseKey(context.suiteName, task.name),
    caseHash: caseHash(task, digests),
    instrumentHash: hash,
  };
  if (selected.skip !== null) {
    const decided = { status: 'skipped', reason: selected.skip } as const;
    return (repetition) => ({ ...shared, resolvedVariables: null, work: null, repetition, decided });
  }
  if (!agent.ok) {
    const decided = { status: 'error', errorKind: 'variables', code: agent.code, message: agent.message } as const;
    return (repetition) => ({ ...shared, resolvedVariables: agent.resolved, work: null, repetition, decided });
  }
  const { resolved: resolvedVariables } = agent;
  const contents = contentsOf(task, digests);
  // Written out, and what all have in common is shared: a plan holds as many of them as there are test runs.
  const workOf = (repetition: number): CaseWork => ({
    suiteName: context.suiteName,
    suitePath: context.suitePath,
    variant: context.variant,
    cellKey: context.cellKey,
    case: task,
    agent: agent.agent,
    model: agent.model,
    instrument,
    resolvedVariables,
    limits: context.limits,
    repetition,
    seed: trialSeed(context.runSeed, shared.caseKey, repetition),
    ...contents,
  });
  return (repetition) => ({
    caseName: shared.caseName,
    sortOrder: shared.sortOrder,
    repetition,
    caseKey: shared.caseKey,
    caseHash: shared.caseHash,
    instrumentHash: shared.instrumentHash,
    resolvedVariables,
    work: workOf(repetition),
    decided: null,
  });
}

/** The local files whose content is known, so that a runner can fetch exactly that. */
function contentsOf({ files }: TestCase, digests: readonly (string | null)[]): Pick<CaseWork, 'contents'> {
  const contents = files.flatMap(({ path }, index) => {
    const sha256 = digests[index];
    return path === undefined || typeof sha256 !== 'string' ? [] : [{ path, sha256 }];
  });
  return contents.length === 0 ? {} : { contents };
}
