import { readFileSync } from 'node:fs';

/** The file that `<NAME>_FILE` names instead of a secret: its text, or the code of the error that it cannot be read for. */
export function readSecretFile(path: string): { ok: true; text: string } | { ok: false; reason: string } {
  try {
    return { ok: true, text: readFileSync(path, 'utf8') };
  } catch (error) {
    return { ok: false, reason: error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason' };
  }
}
