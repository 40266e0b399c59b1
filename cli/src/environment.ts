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

const text = z
  .string()
  .trim()
  .transform((value) => (value === '' ? null : value))
  .nullable()
  .default(null);
const milliseconds = (usual: number) => z.coerce.number().int().min(1).max(600_000).catch(usual).default(usual);

/** Every variable that the command reads, beside the model keys. */
export const environmentVariables = z.object({
  PROOFMARK_TOKEN: text.describe('API token of the coordinator. Absent: commands that need one say so'),
  PROOFMARK_COORDINATOR: text.describe(
    'Where the coordinator is for `cancel` and `replay`; `run` needs the option. Absent: only what --coordinator names',
  ),
  PROOFMARK_POLL_MS: milliseconds(2000).describe('First pause between two looks at a run of a coordinator'),
  PROOFMARK_RETRY_MS: milliseconds(60_000).describe('How long a coordinator that does not answer is asked again'),
  NO_COLOR: z.string().default('').describe('Not empty: no colours'),
  CI: z.string().default('').describe('Not empty and not false: lines instead of one that moves'),
  GITHUB_ACTIONS: z.string().default('').describe('true: what is printed is no command to the log of the job'),
});

export function readEnvironment(variables: Readonly<Record<string, string | undefined>> = process.env): CliEnvironment {
  const read = environmentVariables.parse(variables);
  const { NO_COLOR, CI, GITHUB_ACTIONS } = read;
  const { TERM } = variables;
  return {
    refusesColor: NO_COLOR !== '' || TERM === 'dumb',
    isCi: CI !== '' && CI !== 'false',
    isActionsJob: GITHUB_ACTIONS === 'true',
    token: read.PROOFMARK_TOKEN,
    coordinator: read.PROOFMARK_COORDINATOR,
    pollMs: read.PROOFMARK_POLL_MS,
    retryMs: read.PROOFMARK_RETRY_MS,
  };
}
