import { z } from 'zod';

/** Words that files, ledger, messages and API share and that no single definition owns, each list written here alone. */
export const RunStatus = z.enum(['pending', 'running', 'completed', 'failed', 'cancelled']);
export type RunStatus = z.infer<typeof RunStatus>;

/** Where a test run stands; the last four are final. */
export const TestRunState = z.enum(['queued', 'running', 'passed', 'failed', 'skipped', 'error']);
export type TestRunState = z.infer<typeof TestRunState>;

/** Why a suite run was made. */
export const SuiteRunPurpose = z.enum(['first', 'confirm', 'drift', 'rejudge', 'calibrate']);
export type SuiteRunPurpose = z.infer<typeof SuiteRunPurpose>;

/** What started a run. */
export const RunTrigger = z.enum(['manual', 'schedule', 'ci', 'api']);
export type RunTrigger = z.infer<typeof RunTrigger>;

/** Where a case is in its life; only active ones run. */
export const CaseLife = z.enum(['draft', 'active', 'archived']);
export type CaseLife = z.infer<typeof CaseLife>;

/** How a case is held: one question, or a person who is simulated. */
export const CaseKind = z.enum(['single', 'simulated']);
export type CaseKind = z.infer<typeof CaseKind>;

export const ScheduleType = z.enum(['manual', 'hourly', 'daily', 'weekly']);
export type ScheduleType = z.infer<typeof ScheduleType>;

export const Difficulty = z.enum(['normal', 'hard']);
export type Difficulty = z.infer<typeof Difficulty>;

/** What an API token may be given. `admin` covers all others but `queries:large`, which a token has only by its name. */
export const Scope = z.enum([
  'runs:read',
  'runs:write',
  'baseline:write',
  'pull-requests:write',
  'queries:large',
  'admin',
]);
export type Scope = z.infer<typeof Scope>;

/** What somebody may be: a token or a session of theirs never does more than this, whatever scopes it has. */
export const Role = z.enum(['admin', 'writer', 'reader', 'ci', 'runner']);
export type Role = z.infer<typeof Role>;

/** What the token of a CI job says of it beside its repository, and an admin may ask of it. */
export const PinnedClaim = z.enum(['job_workflow_ref', 'environment', 'runner_environment']);
export type PinnedClaim = z.infer<typeof PinnedClaim>;
