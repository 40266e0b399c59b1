import { readFileSync } from 'node:fs';
import type { z } from 'zod';

export type GivenVariables = Readonly<Record<string, string | undefined>>;

export interface VariablesReading<Values> {
  /** Those that are right, also when others are not. */
  values: Partial<Values>;
  /** All of them when no variable is wrong. */
  complete: Values | undefined;
  /** One line for every variable that is wrong. */
  problems: string[];
}

interface Secrets {
  /** Their values are never shown. */
  secrets: readonly string[];
  /** Reads the file that `<NAME>_FILE` names instead of the secret, or says why not; absent: there are no such files. */
  readFile?: (path: string) => { ok: true; text: string } | { ok: false; reason: string };
}

/**
 * Each variable of the table by itself, so that one mistake hides no other. An empty variable counts as absent. A problem
 * names the variable, shows its value (never that of a secret) and says what it must be.
 */
export function readVariables<Shape extends Record<string, z.ZodType>>(
  table: z.ZodObject<Shape>,
  given: GivenVariables,
  { secrets, readFile }: Secrets = { secrets: [] },
): VariablesReading<z.output<z.ZodObject<Shape>>> {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, kind] of Object.entries(table.shape)) {
    const isSecret = secrets.includes(name);
    const found: Found =
      isSecret && readFile !== undefined ? textOrFile(name, given, readFile) : { text: textOf(name, given) };
    const { text, problem } = found;
    if (problem !== undefined) problems.push(problem);
    const read = kind.safeParse(text);
    if (read.success) values[name] = read.data;
    // What stands in a file that cannot be read is not missing as well.
    else if (text !== undefined || problem === undefined) problems.push(wrongVariable({ name, text, isSecret }, kind));
  }
  const known = values as z.output<z.ZodObject<Shape>>; // Each value was read by the kind of its name.
  return { values: known, complete: problems.length === 0 ? known : undefined, problems };
}

const textOf = (name: string, given: GivenVariables): string | undefined => given[name] || undefined;

interface Found {
  text: string | undefined;
  problem?: string;
}

function textOrFile(name: string, given: GivenVariables, readFile: NonNullable<Secrets['readFile']>): Found {
  const text = textOf(name, given);
  const file = `${name}_FILE`;
  const path = textOf(file, given);
  if (path === undefined) return { text };
  if (text !== undefined) return { text, problem: `${file}: is given together with ${name}; leave one of them out` };
  const read = readFile(path);
  if (read.ok) return { text: read.text.trim() || undefined };
  const problem = `${file}: cannot be read (${read.reason}); it must be the path of a file that this process may read`;
  return { text, problem };
}

interface GivenVariable {
  name: string;
  text: string | undefined;
  isSecret: boolean;
}

function wrongVariable({ name, text, isSecret }: GivenVariable, kind: z.ZodType): string {
  // What an absent variable must be is what the kind says about a text that is none.
  const expected = kind.safeParse(text ?? '').error?.issues[0]?.message ?? 'must be given';
  if (text === undefined) return `${name}: is missing; it ${expected}`;
  return isSecret ? `${name}: its value, which is not shown, ${expected}` : `${name}: ${shown(text)} ${expected}`;
}

const mostShown = 60;

/** The text as it was given, cut, with the login of a URL taken out. */
function shown(text: string): string {
  const harmless = text.replaceAll(/\/\/[^/@\s]+@/g, '//***@');
  return JSON.stringify(harmless.length > mostShown ? `${harmless.slice(0, mostShown)}…` : harmless);
}

/** The file that `<NAME>_FILE` names instead of a secret: its text, or the code of the error that it cannot be read for. */
export function readSecretFile(path: string): { ok: true; text: string } | { ok: false; reason: string } {
  try {
    return { ok: true, text: readFileSync(path, 'utf8') };
  } catch (error) {
    return { ok: false, reason: error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason' };
  }
}
