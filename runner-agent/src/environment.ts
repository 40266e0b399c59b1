import { randomUUID } from 'node:crypto';
import { DEFAULT_POOL, PoolNames } from '@proofmark/contracts/pool';
import { brokerSecrets, brokerVariables } from '@proofmark/process/broker-login';
import { chaosPlan } from '@proofmark/process/chaos';
import { readSecretFile, readVariables } from '@proofmark/process/read-variables';
import { tracingSecrets, tracingVariables } from '@proofmark/process/tracing-variables';
import { flag, hostName, logLevel, wholeNumber } from '@proofmark/process/variable-kinds';
import { z } from 'zod';
import { runnerChaosPoints } from './consume/chaos.ts';
import type { ProgramOptions } from './drivers/start-program.ts';
import { usualCacheFolder } from './files/file-cache.ts';
import { type KeyRing, readKeyRing } from './models/key-ring.ts';

/** Every variable that a runner reads, beside the model keys that PROOFMARK_KEY_ENVS names. A wrong value ends the start. */
export const runnerVariables = z.object({
  ...brokerVariables,
  PROOFMARK_RUNNER_ID: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "-" or "_", such as runner-1')
    .default(() => `runner-${randomUUID().slice(0, 8)}`)
    .describe('Name of this runner: the one that its key was made for. Absent: a random one'),
  PROOFMARK_POOLS: PoolNames.default([DEFAULT_POOL]).describe('Pools whose work it takes, separated by commas'),
  PROOFMARK_SLOTS: wholeNumber(1, 1_000, 8).default(8).describe('Test runs at the same time'),
  PROOFMARK_RUNNER_GRACE_MS: wholeNumber(0, 3_600_000, 20_000)
    .default(20_000)
    .describe('Time that running test runs get at SIGTERM'),
  OPENAI_API_KEY: z.string().optional().describe('Key of the default provider'),
  OPENAI_BASE_URL: z.string().optional().describe('Default provider. Absent: https://api.openai.com/v1'),
  PROOFMARK_KEY_ENVS: z
    .string()
    .optional()
    .describe('Variables that hold model keys, separated by commas. Absent: OPENAI_API_KEY'),
  PROOFMARK_KEY_ORIGINS: z.string().optional().describe('Where keys may go: NAME=https://host, separated by commas'),
  PROOFMARK_URL_ALLOW: z
    .string()
    .optional()
    .describe('Private origins that may be called without a key, separated by commas'),
  PROOFMARK_ALLOW_COMMAND_AGENTS: flag
    .default(false)
    .describe(
      'Let agents that are programs run on this runner, if the coordinator takes them. The runner has to be started as root, so that it can give them another user',
    ),
  PROOFMARK_COMMAND_AGENT_UID: wholeNumber(1, 4_294_967_294, 65_534)
    .default(65_534)
    .describe(
      'Number of the user that these programs get from a runner that is root; each of them also gets a group of its own',
    ),
  PROOFMARK_COMMAND_AGENTS_SHARE_KEYS: flag
    .default(false)
    .describe('Let these programs run as the user of a runner that is not root: they can then read all its keys'),
  PROOFMARK_PROGRAM_ENVS: z
    .string()
    .optional()
    .describe(
      'Variables that programs and code of the repository are given beside PATH and the like, separated by commas',
    ),
  PROOFMARK_CACHE_DIR: z
    .string()
    .default(usualCacheFolder)
    .describe('Where downloaded files and their text are kept. Absent: a folder of this user below the temporary one'),
  PORT: wholeNumber(0, 65_535, 8081)
    .default(8081)
    .describe('Port of /healthz, /readyz and /metrics; 0 takes a free one'),
  PROOFMARK_HOST: hostName.default('0.0.0.0').describe('Address to listen on'),
  ...tracingVariables,
  PROOFMARK_LOG_LEVEL: logLevel.default('info').describe('How much is logged, as lines of JSON'),
  PROOFMARK_CHAOS_AT: chaosPlan(runnerChaosPoints),
});

export type RunnerEnvironment = z.infer<typeof runnerVariables> & { keys: KeyRing; programs: ProgramOptions | null };
type Reading = { ok: true; environment: RunnerEnvironment } | { ok: false; problems: string[] };

/** The settings of this process, or every problem with them, one line each. An empty variable counts as absent. */
export function readRunnerEnvironment(
  source: Record<string, string | undefined> = process.env,
  ownUserId = process.getuid?.(),
): Reading {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  const variables = readVariables(runnerVariables, given, {
    secrets: [...brokerSecrets, ...tracingSecrets],
    readFile: readSecretFile,
  });
  const ring = readKeyRing(given, { allowsLoopback: false });
  const { values } = variables;
  const isExposed = values.PROOFMARK_ALLOW_COMMAND_AGENTS === true && ownUserId !== 0;
  const problems = isExposed && values.PROOFMARK_COMMAND_AGENTS_SHARE_KEYS !== true ? [exposedKeys] : [];
  if (variables.complete === undefined || !ring.ok || problems.length > 0)
    return { ok: false, problems: [...variables.problems, ...(ring.ok ? [] : ring.problems), ...problems] };
  const { PROOFMARK_COMMAND_AGENT_UID: userId } = variables.complete;
  const programs = values.PROOFMARK_ALLOW_COMMAND_AGENTS
    ? { directory: process.cwd(), environment: source, ...(ownUserId === 0 ? { userId } : {}) }
    : null;
  return { ok: true, environment: { ...variables.complete, keys: ring.keys, programs } };
}

const exposedKeys =
  'PROOFMARK_ALLOW_COMMAND_AGENTS: "true" must be given to a runner that is root, so that it can run these programs as another user who cannot read its keys; or say PROOFMARK_COMMAND_AGENTS_SHARE_KEYS=1';
