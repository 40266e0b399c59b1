import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const given = z
  .string()
  .optional()
  .transform((text) => (text === '' ? undefined : text));

const Environment = z.object({
  /** An own Postgres to use instead of the embedded one; its role may create databases and roles. */
  DATABASE_URL: given.pipe(z.url({ protocol: /^postgres(ql)?$/ }).optional()),
  /** The folder of the initdb and postgres to start, instead of those of the package. */
  POSTGRES_BIN: given,
  /** An own NATS server with JetStream to use instead of starting one. */
  NATS_URL: given,
  /** The nats-server binary to start. */
  NATS_SERVER_BIN: given,
  /** Random histories that are held against the SQL of the ledger. */
  PROOFMARK_TEST_HISTORIES: z.coerce.number().int().min(1).default(100),
  /** Cases of the soak; 20,000 are the long form. */
  PROOFMARK_TEST_SOAK_CASES: z.coerce.number().int().min(100).default(600),
  /** How long Postgres is away in the test of that; 120 are the long form. */
  PROOFMARK_TEST_OUTAGE_S: z.coerce.number().int().min(12).default(12),
  PATH: z.string().default(''),
});

/** The settings of the test stack, read once. A wrong value ends the start with zod's message. */
export const environment = Environment.parse(process.env);

const passedOn = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TZ', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'];

/** Node keeps what it compiled here; where it may not write, it compiles anew. */
export const compileCache = fileURLToPath(new URL('../../.proofmark/compile-cache', import.meta.url));

/**
 * What a process of the stack inherits: enough to run, nothing that would configure it by accident. Most of what a start
 * costs is compiling, and tests start hundreds of processes of the same sources: the cache halves it.
 */
export function inheritedEnvironment(): Record<string, string> {
  const kept: Record<string, string> = { NODE_COMPILE_CACHE: compileCache };
  for (const name of passedOn) {
    const value = process.env[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
