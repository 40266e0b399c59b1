import { z } from 'zod';

/** Why a test run has no verdict (evaluation table "error_kind"). The first four are the agent's side, the rest the measuring side. */
export const ErrorKind = z.enum([
  'agent',
  'timeout',
  'limit',
  'variables',
  'files',
  'simulator',
  'mock',
  'judge',
  'lost',
]);
export type ErrorKind = z.infer<typeof ErrorKind>;

export const TestRunStatus = z.enum(['passed', 'failed', 'skipped', 'error']);
export type TestRunStatus = z.infer<typeof TestRunStatus>;

/** How the gate counts one test run: errored is the agent's silence, invalid a broken measurement. */
export type TrialOutcome = 'passed' | 'failed' | 'errored' | 'invalid' | 'skipped';

const agentSide: ReadonlySet<ErrorKind> = new Set(['agent', 'timeout', 'limit', 'variables']);

/** An error without a kind is treated as a broken measurement: it must never count as the agent's failure. */
export function trialOutcome(status: TestRunStatus, errorKind: ErrorKind | null): TrialOutcome {
  if (status !== 'error') return status;
  return errorKind !== null && agentSide.has(errorKind) ? 'errored' : 'invalid';
}
