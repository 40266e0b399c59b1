import { z } from 'zod';

const names = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
const origin = z.url({ protocol: /^https?$/ }).transform((url) => new URL(url).origin);
const defaultKeyName = 'OPENAI_API_KEY';
const defaultBaseUrl = 'https://api.openai.com/v1';

/** What an embedded run reads from the environment; the same names as a runner process. */
const Environment = z.object({
  OPENAI_BASE_URL: z.url({ protocol: /^https?$/ }).default(defaultBaseUrl),
  /** Names of variables that a definition may name as `api_key_env`. */
  PROOFMARK_KEY_ENVS: z
    .string()
    .default(defaultKeyName)
    .transform(names)
    .pipe(z.array(z.string().regex(/^[A-Z][A-Z0-9_]*$/, 'must be names of variables, separated by commas'))),
  /** `NAME=origin,NAME=origin`: where else a key may be sent. */
  PROOFMARK_KEY_ORIGINS: z
    .string()
    .default('')
    .transform((text) => names(text).map((pair) => pair.split('=', 2)))
    .pipe(z.array(z.tuple([z.string().min(1), origin]))),
  PROOFMARK_URL_ALLOW: z.string().default('').transform(names).pipe(z.array(origin)),
});

/** Which model keys an embedded run may use, and where each may go. */
export interface ModelKeys {
  values: ReadonlyMap<string, string | undefined>;
  origins: ReadonlyMap<string, readonly string[]>;
  defaultBaseUrl: string;
  allowedOrigins: ReadonlySet<string>;
  allowsLoopback: boolean;
}

export type ReadKeys = { ok: true; keys: ModelKeys } | { ok: false; message: string };

/** The model keys of this process; a value that cannot be meant is a message that names the variable. */
export function readModelKeys(environment: Readonly<Record<string, string | undefined>> = process.env): ReadKeys {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = Environment.safeParse(set);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { ok: false, message: `${String(issue?.path[0])}: ${issue?.message}` };
  }
  const { OPENAI_BASE_URL, PROOFMARK_KEY_ENVS, PROOFMARK_KEY_ORIGINS, PROOFMARK_URL_ALLOW } = parsed.data;
  const origins = new Map<string, string[]>([[defaultKeyName, [new URL(defaultBaseUrl).origin]]]);
  for (const [name, allowed] of [
    [defaultKeyName, new URL(OPENAI_BASE_URL).origin] as const,
    ...PROOFMARK_KEY_ORIGINS,
  ]) {
    origins.set(name, [...(origins.get(name) ?? []), allowed]);
  }
  return {
    ok: true,
    keys: {
      values: new Map(PROOFMARK_KEY_ENVS.map((name) => [name, set[name]])),
      origins,
      defaultBaseUrl: OPENAI_BASE_URL,
      allowedOrigins: new Set(PROOFMARK_URL_ALLOW),
      allowsLoopback: true,
    },
  };
}
