import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { readVariables } from '@proofmark/process/read-variables';
import { milliseconds, webAddress } from '@proofmark/process/variable-kinds';
import { z } from 'zod';

/** What the command reads from the environment, apart from model keys. */
export interface CliEnvironment {
  /** NO_COLOR is set, or the terminal cannot show colours. */
  refusesColor: boolean;
  isCi: boolean;
  /** This is a job of GitHub Actions: what is printed may end in its log. */
  isActionsJob: boolean;
  /** API token of a coordinator, `PROOFMARK_TOKEN`. */
  token: string | null;
  /** Where the coordinator is for commands that need one, `PROOFMARK_COORDINATOR`. */
  coordinator: string | null;
  /** First pause between two looks at a run. */
  pollMs: number;
  /** How long a coordinator that does not answer is asked again. */
  retryMs: number;
}

/** Every variable that the command reads, beside the model keys. */
export const cliVariables = z.object({
  PROOFMARK_TOKEN: z
    .string()
    .trim()
    .optional()
    .describe('API token of the coordinator. Absent: commands that need one say so'),
  PROOFMARK_COORDINATOR: webAddress('https://proofmark.example.com')
    .optional()
    .describe(
      'Where the coordinator is for `cancel` and `replay`; `run` needs the option. Absent: only what --coordinator names',
    ),
  PROOFMARK_POLL_MS: milliseconds(2000).describe('First pause between two looks at a run of a coordinator'),
  PROOFMARK_RETRY_MS: milliseconds(60_000).describe('How long a coordinator that does not answer is asked again'),
  NO_COLOR: z.string().default('').describe('Not empty: no colours'),
  CI: z.string().default('').describe('Not empty and not false: lines instead of one that moves'),
  GITHUB_ACTIONS: z.string().default('').describe('true: what is printed is no command to the log of the job'),
});

type Reading = { ok: true; environment: CliEnvironment } | { ok: false; problems: string[] };

/** What this process is told by its environment, or every problem with it, one line each. */
export function readCliEnvironment(variables: Readonly<Record<string, string | undefined>> = process.env): Reading {
  const { complete, problems } = readVariables(cliVariables, variables, { secrets: ['PROOFMARK_TOKEN'] });
  if (complete === undefined) return { ok: false, problems };
  const { NO_COLOR, CI, GITHUB_ACTIONS } = complete;
  const environment = {
    refusesColor: NO_COLOR !== '' || variables.TERM === 'dumb',
    isCi: CI !== '' && CI !== 'false',
    isActionsJob: GITHUB_ACTIONS === 'true',
    token: complete.PROOFMARK_TOKEN || null,
    coordinator: complete.PROOFMARK_COORDINATOR ?? null,
    pollMs: complete.PROOFMARK_POLL_MS,
    retryMs: complete.PROOFMARK_RETRY_MS,
  };
  return { ok: true, environment };
}

/** What a file `.env` has said: names alone, never values. */
export interface DotEnv {
  taken: string[];
  /** Names that are not taken from it, each with the reason. */
  left: string[];
}

const mostBytes = 65_536;

/**
 * Takes up the variables of `.env` in a folder. What is set already stays as it is. The file may have come with the
 * repository of somebody else, so it decides neither how programs start nor where keys may go that are not its own.
 */
export function addDotEnv(folder: string, variables: NodeJS.ProcessEnv = process.env): DotEnv {
  const path = join(folder, '.env');
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return { taken: [], left: [] };
  if (stats.size > mostBytes) return { taken: [], left: [`all: the file has more than ${mostBytes} bytes`] };
  const written = Object.entries(parseEnv(readFileSync(path, 'utf8')));
  const set = new Set(Object.keys(variables).filter((name) => variables[name] !== ''));
  const found: DotEnv = { taken: [], left: [] };
  for (const [name, value] of written) {
    const reason = whyNot(name, set);
    if (reason !== undefined) found.left.push(`${name}: ${reason}`);
    else if (value !== undefined) {
      variables[name] = value;
      found.taken.push(name);
    }
  }
  return found;
}

/** How this process, its programs and its connections come about is for the environment itself to say. */
const ownAffairs =
  /^(?:PROOFMARK_|NODE_|LD_|DYLD_|GIT_|GITHUB_|NPM_|PYTHON|SSL_)|^(?:PATH|HOME|SHELL|USER|TMPDIR|TEMP|CI|BASH_ENV|ENV)$|_PROXY$/i;

function whyNot(name: string, set: ReadonlySet<string>): string | undefined {
  if (set.has(name)) return 'it is set already';
  if (ownAffairs.test(name)) return 'only the environment itself may say it';
  const secret = name.endsWith('_BASE_URL') ? [...set].find((one) => /_(?:KEY|TOKEN|SECRET)$/.test(one)) : undefined;
  return secret === undefined ? undefined : `${secret} is set already, and the file may not say where it goes`;
}
