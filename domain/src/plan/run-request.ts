import type { Variant } from '@proofmark/contracts/case-work';
import type { LoadedDefinitions } from '@proofmark/contracts/loaded';
import type { Problem, ProblemCode } from '@proofmark/contracts/problem';
import type { FileInput } from '@proofmark/contracts/test-case';
import type { VariableValue } from '@proofmark/contracts/variables';

export interface RunRequest {
  variables: Record<string, VariableValue>;
  /** Raw `--var` pairs: every suite converts them with its own test type (C40). */
  assignments: { name: string; text: string }[];
  preset: string | null;
  matrix: Record<string, VariableValue[]>;
  matrixAssignments: { name: string; values: string[] }[];
  cases: string[];
  tags: string[];
  difficulty: 'normal' | 'hard' | null;
  repetitions: number | null;
  /** Pull request, merge group or base branch: three repetitions unless something says otherwise, else one. */
  compared: boolean;
  /** `['head']`, or `['baseline', 'candidate']`. */
  variants: readonly Variant[];
  /** Concurrent base trials per case; absent: as many as the other side. */
  baselineRepetitions?: number;
}

export interface PlanInput {
  definitions: LoadedDefinitions;
  /** The definitions at the commit that is compared with; needed for the variant `baseline`. */
  baselineDefinitions?: LoadedDefinitions;
  request: RunRequest;
  /** Whether the code of the base is at hand beside that of the head, or could be; absent: it never is. */
  baseCheckout?: 'given' | 'missing';
  runSeed: string;
  /**
   * Digest of a case's file, so that a changed document is a changed case; null when it is not known. Both sides read the
   * files of the head, like everything else of its cases.
   */
  fileDigest?: (suitePath: string, file: FileInput) => string | null;
}

interface Finding {
  code: ProblemCode;
  message: string;
  hint?: string | undefined;
  severity?: Problem['severity'];
}

/** A problem of the request itself, which stands in no file: `path` names the argument, `variables.Temperature`. */
export function requestProblem(path: string, finding: Finding): Problem {
  return suiteProblem('', path, finding);
}

export function suiteProblem(
  file: string,
  path: string,
  { code, message, hint, severity = 'error' }: Finding,
): Problem {
  return { severity, code, file, line: 1, column: 1, path, message, ...(hint === undefined ? {} : { hint }) };
}
