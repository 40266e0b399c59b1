import { z } from 'zod';
import { JsonData } from './texts.ts';

/** An answer of a simulated tool. The key is a digest of everything it depends on, so that an equal call finds it. */
export const CassetteEntry = z.strictObject({
  key: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex'),
  tool: z.string().min(1),
  args: JsonData,
  result: JsonData,
});
export type CassetteEntry = z.infer<typeof CassetteEntry>;

/** Characters of a committed cassette: it goes along with every test run of its suite. */
export const MAX_CASSETTE_CHARACTERS = 200_000;

export type ParsedCassette =
  | { ok: true; entries: CassetteEntry[] }
  /** Counted from 1; the whole file for line 0. */
  | { ok: false; line: number; message: string };

/** The entries of a cassette file, one JSON object per line; empty lines are passed over. */
export function parseCassette(text: string): ParsedCassette {
  if (text.length > MAX_CASSETTE_CHARACTERS) {
    const message = `has ${text.length} characters, at most ${MAX_CASSETTE_CHARACTERS} are taken`;
    return { ok: false, line: 0, message };
  }
  const entries = new Map<string, CassetteEntry>();
  for (const [index, written] of text.split('\n').entries()) {
    if (written.trim() === '') continue;
    const entry = readEntry(written);
    if (typeof entry === 'string') return { ok: false, line: index + 1, message: entry };
    if (entries.has(entry.key)) return { ok: false, line: index + 1, message: 'repeats the key of an earlier line' };
    entries.set(entry.key, entry);
  }
  return { ok: true, entries: [...entries.values()] };
}

/** The line of a cassette file that holds the entry. */
export const cassetteLine = ({ key, tool, args, result }: CassetteEntry): string =>
  JSON.stringify({ key, tool, args, result });

/** What is wrong with the line, when it is a text. */
function readEntry(written: string): CassetteEntry | string {
  try {
    const entry = CassetteEntry.safeParse(JSON.parse(written));
    if (entry.success) return entry.data;
    const [issue] = entry.error.issues;
    return `is no recorded answer: ${[issue?.path.join('.'), issue?.message].filter(Boolean).join(' ')}`;
  } catch {
    // Also brackets so deep that no parser follows them.
    return 'is not JSON';
  }
}
