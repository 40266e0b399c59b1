import { readVariables } from '@proofmark/process/read-variables';
import { telemetrySettings, tracingSecrets, tracingVariables } from '@proofmark/process/tracing-variables';
import { milliseconds, webAddress } from '@proofmark/process/variable-kinds';
import { z } from 'zod';

const text = z.string();

/** Every variable that the Action reads. GitHub sets those without the prefix PROOFMARK, which are for tests. */
export const actionVariables = z.object({
  GITHUB_EVENT_NAME: text.default(''),
  GITHUB_EVENT_PATH: text.optional(),
  GITHUB_SERVER_URL: webAddress('https://github.com').default('https://github.com'),
  GITHUB_API_URL: webAddress('https://api.github.com').default('https://api.github.com'),
  GITHUB_REPOSITORY: text.default(''),
  GITHUB_REPOSITORY_ID: text.optional(),
  GITHUB_RUN_ID: text.default('0'),
  GITHUB_RUN_ATTEMPT: text.default('1'),
  GITHUB_SHA: text.optional(),
  GITHUB_REF: text.default(''),
  GITHUB_WORKFLOW_REF: text.optional(),
  GITHUB_ACTOR: text.optional(),
  GITHUB_WORKSPACE: text.optional(),
  RUNNER_TEMP: text.optional(),
  GITHUB_STEP_SUMMARY: text.optional(),
  ACTIONS_ID_TOKEN_REQUEST_URL: text.optional().describe('Present when the job has `id-token: write`'),
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: text.optional().describe('Present when the job has `id-token: write`'),
  ...tracingVariables,
  PROOFMARK_POLL_MS: milliseconds(2000).describe('First pause between two looks at a run; it grows to five times this'),
  PROOFMARK_RETRY_MS: milliseconds(60_000).describe('How long an unreachable coordinator is tried again'),
  PROOFMARK_GITHUB_WRITE_INTERVAL_MS: milliseconds(1000).describe('Pause between two writes to GitHub'),
  PROOFMARK_GITHUB_REREAD_MS: milliseconds(2000).describe(
    'Pause before GitHub is read again after a request without an answer',
  ),
});

/** What GitHub says about the job. */
export type JobEnvironment = ReturnType<typeof jobOf>;

type Variables = Readonly<Record<string, string | undefined>>;
type Reading = { ok: true; environment: JobEnvironment; untraced: string[] } | { ok: false; problems: string[] };

/**
 * What this process is told by its environment, or every problem with it, one line each. The variables of tracing are those of
 * every program of the machine: wrong ones cost the trace, and never the job.
 */
export function readJobEnvironment(variables: Variables = process.env): Reading {
  const tracing = readVariables(z.object(tracingVariables), variables, { secrets: tracingSecrets });
  const untraced = Object.keys(tracingVariables).map((name) => [name, undefined] as const);
  const read = readVariables(
    actionVariables,
    tracing.complete ? variables : { ...variables, ...Object.fromEntries(untraced) },
  );
  const { complete, problems } = read;
  if (complete === undefined) return { ok: false, problems };
  return { ok: true, environment: jobOf(complete), untraced: tracing.problems };
}

function jobOf(env: z.output<typeof actionVariables>) {
  return {
    eventName: env.GITHUB_EVENT_NAME,
    eventPath: env.GITHUB_EVENT_PATH ?? null,
    serverUrl: env.GITHUB_SERVER_URL,
    host: new URL(env.GITHUB_SERVER_URL).host,
    apiUrl: env.GITHUB_API_URL,
    repository: env.GITHUB_REPOSITORY,
    repositoryId: env.GITHUB_REPOSITORY_ID ?? null,
    /** Where the span of this job is sent. */
    tracing: telemetrySettings(env),
    runId: env.GITHUB_RUN_ID,
    runAttempt: env.GITHUB_RUN_ATTEMPT,
    sha: env.GITHUB_SHA ?? null,
    ref: env.GITHUB_REF,
    workflowPath: workflowPath(env.GITHUB_WORKFLOW_REF ?? ''),
    actor: env.GITHUB_ACTOR ?? null,
    workspace: env.GITHUB_WORKSPACE ?? null,
    temp: env.RUNNER_TEMP ?? null,
    summaryPath: env.GITHUB_STEP_SUMMARY ?? null,
    idTokens: idTokensOf(env),
    pollMs: env.PROOFMARK_POLL_MS,
    retryMs: env.PROOFMARK_RETRY_MS,
    writeIntervalMs: env.PROOFMARK_GITHUB_WRITE_INTERVAL_MS,
    rereadMs: env.PROOFMARK_GITHUB_REREAD_MS,
  };
}

const proxies = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'];

/**
 * What Node has to be told to go through the proxy that the machine names; null where it names none or Node was told already.
 * Node does not start with an address without a scheme, which other programs take.
 */
export function proxiedEnvironment(variables: Variables = process.env): Variables | null {
  const named = proxies.flatMap((name) => {
    const address = variables[name];
    return address ? [[name, address.includes('://') ? address : `http://${address}`]] : [];
  });
  if (named.length === 0 || variables.NODE_USE_ENV_PROXY) return null;
  return { ...variables, ...Object.fromEntries(named), NODE_USE_ENV_PROXY: '1' };
}

/** Where GitHub gives this job tokens that say who it is. */
export interface IdTokens {
  url: string;
  bearer: string;
}

function idTokensOf(env: z.output<typeof actionVariables>): IdTokens | null {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: bearer } = env;
  return url === undefined || bearer === undefined ? null : { url, bearer };
}

/** `.github/workflows/gate.yml` out of `acme/shop/.github/workflows/gate.yml@refs/heads/main`. */
function workflowPath(ref: string): string | null {
  return /^[^/]+\/[^/]+\/(.+)@/.exec(ref)?.[1] ?? null;
}
