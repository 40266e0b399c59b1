import { z } from 'zod';

const given = z
  .string()
  .optional()
  .transform((text) => (text === undefined || text === '' ? null : text));
const withDefault = (byDefault: string) => given.transform((text) => text ?? byDefault);

const Environment = z
  .object({
    GITHUB_EVENT_NAME: withDefault(''),
    GITHUB_EVENT_PATH: given,
    GITHUB_SERVER_URL: withDefault('https://github.com').pipe(z.url()),
    GITHUB_API_URL: withDefault('https://api.github.com').pipe(z.url()),
    GITHUB_REPOSITORY: withDefault(''),
    GITHUB_REPOSITORY_ID: given,
    GITHUB_RUN_ID: withDefault('0'),
    GITHUB_RUN_ATTEMPT: withDefault('1'),
    GITHUB_SHA: given,
    GITHUB_REF: withDefault(''),
    GITHUB_WORKFLOW_REF: given,
    GITHUB_ACTOR: given,
    GITHUB_WORKSPACE: given,
    RUNNER_TEMP: given,
    GITHUB_STEP_SUMMARY: given,
    /** Present when the job has `id-token: write`. */
    ACTIONS_ID_TOKEN_REQUEST_URL: given,
    /** First pause between two looks at a run, in milliseconds; it grows to five times this. For tests. */
    PROOFMARK_POLL_MS: withDefault('2000').transform(Number).pipe(z.int().min(1).max(60_000)),
    /** How long an unreachable coordinator is tried again, in milliseconds. For tests. */
    PROOFMARK_RETRY_MS: withDefault('60000').transform(Number).pipe(z.int().min(0).max(600_000)),
    /** Pause between two writes to GitHub, in milliseconds. For tests. */
    PROOFMARK_GITHUB_WRITE_INTERVAL_MS: withDefault('1000').transform(Number).pipe(z.int().min(0).max(60_000)),
    /** Pause before GitHub is read again after a request without an answer, in milliseconds. For tests. */
    PROOFMARK_GITHUB_REREAD_MS: withDefault('2000').transform(Number).pipe(z.int().min(0).max(60_000)),
  })
  .transform((env) => ({
    eventName: env.GITHUB_EVENT_NAME,
    eventPath: env.GITHUB_EVENT_PATH,
    serverUrl: env.GITHUB_SERVER_URL,
    host: new URL(env.GITHUB_SERVER_URL).host,
    apiUrl: env.GITHUB_API_URL,
    repository: env.GITHUB_REPOSITORY,
    repositoryId: env.GITHUB_REPOSITORY_ID,
    runId: env.GITHUB_RUN_ID,
    runAttempt: env.GITHUB_RUN_ATTEMPT,
    sha: env.GITHUB_SHA,
    ref: env.GITHUB_REF,
    workflowPath: workflowPath(env.GITHUB_WORKFLOW_REF),
    actor: env.GITHUB_ACTOR,
    workspace: env.GITHUB_WORKSPACE,
    temp: env.RUNNER_TEMP,
    summaryPath: env.GITHUB_STEP_SUMMARY,
    hasIdToken: env.ACTIONS_ID_TOKEN_REQUEST_URL !== null,
    pollMs: env.PROOFMARK_POLL_MS,
    retryMs: env.PROOFMARK_RETRY_MS,
    writeIntervalMs: env.PROOFMARK_GITHUB_WRITE_INTERVAL_MS,
    rereadMs: env.PROOFMARK_GITHUB_REREAD_MS,
  }));

/** What GitHub says about the job. */
export type JobEnvironment = z.output<typeof Environment>;

/** The environment of this process. A value that cannot be meant ends the job with zod's message. */
export function readEnvironment(variables: Readonly<Record<string, string | undefined>> = process.env): JobEnvironment {
  return Environment.parse(variables);
}

/** `.github/workflows/gate.yml` out of `acme/shop/.github/workflows/gate.yml@refs/heads/main`. */
function workflowPath(ref: string | null): string | null {
  return /^[^/]+\/[^/]+\/(.+)@/.exec(ref ?? '')?.[1] ?? null;
}
