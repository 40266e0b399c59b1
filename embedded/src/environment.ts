import { type ReadKeyRing, readKeyRing } from '@proofmark/runner-agent/key-ring';

/** Which model keys a run in this process may use, and where each may go. */
export type ModelKeys = Extract<ReadKeyRing, { ok: true }>['keys'];

/** The model keys of this process. It runs on the machine of whoever wrote the definitions, so models on it may be called. */
export function readModelKeys(source: Readonly<Record<string, string | undefined>> = process.env): ReadKeyRing {
  return readKeyRing(source, { allowsLoopback: true });
}

/** The origins that are not public and that files may be fetched from. Whoever asks a model is told what is wrong with them. */
export function readAllowedOrigins(source?: Readonly<Record<string, string | undefined>>): ReadonlySet<string> {
  const keys = readModelKeys(source);
  return keys.ok ? keys.keys.allowedOrigins : new Set();
}

/** What programs of the repository may be given a part of; they never get a key. */
export function programEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
