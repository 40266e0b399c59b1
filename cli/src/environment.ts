import { z } from 'zod';

/** What the command reads from the environment, apart from model keys. */
export interface CliEnvironment {
  /** NO_COLOR is set, or the terminal cannot show colours. */
  refusesColor: boolean;
  isCi: boolean;
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

const Variables = z.object({
  PROOFMARK_TOKEN: text,
  PROOFMARK_COORDINATOR: text,
  PROOFMARK_POLL_MS: milliseconds(2000),
  PROOFMARK_RETRY_MS: milliseconds(60_000),
});

export function readEnvironment(variables: Readonly<Record<string, string | undefined>> = process.env): CliEnvironment {
  const { NO_COLOR = '', TERM, CI = '' } = variables;
  const read = Variables.parse(variables);
  return {
    refusesColor: NO_COLOR !== '' || TERM === 'dumb',
    isCi: CI !== '' && CI !== 'false',
    token: read.PROOFMARK_TOKEN,
    coordinator: read.PROOFMARK_COORDINATOR,
    pollMs: read.PROOFMARK_POLL_MS,
    retryMs: read.PROOFMARK_RETRY_MS,
  };
}
