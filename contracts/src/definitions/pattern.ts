import { RE2JS } from 're2js';

/** Longer patterns are refused: matching is linear in the text, but also in the size of the pattern. */
export const MAX_PATTERN_LENGTH = 1000;

export interface Pattern {
  /** Whether the pattern occurs somewhere in the text. */
  isIn: (text: string) => boolean;
  /** Whether the pattern matches the whole text. */
  matches: (text: string) => boolean;
}

export type CompiledPattern = { ok: true; pattern: Pattern } | { ok: false; message: string };

/** A user's pattern for the linear-time engine; no text of a user ever reaches the engine of the language. */
export function compilePattern(source: string, { ignoreCase = false }: { ignoreCase?: boolean } = {}): CompiledPattern {
  if (source.length > MAX_PATTERN_LENGTH) {
    return { ok: false, message: `must have at most ${MAX_PATTERN_LENGTH} characters` };
  }
  try {
    const compiled = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    const pattern: Pattern = {
      isIn: (text) => compiled.matcher(text).find(),
      matches: (text) => compiled.matcher(text).matches(),
    };
    return { ok: true, pattern };
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace('error parsing regexp: ', '') : 'unreadable';
    return { ok: false, message: `pattern not supported: ${reason}` };
  }
}
