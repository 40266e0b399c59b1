import { resolve } from 'node:path';
import { findNamed, type NamedPlace } from '@proofmark/embedded/name-run';

/** Results that somebody named: all of a file or folder, or one repetition of them. */
export type KeptRun = Pick<NamedPlace, 'path' | 'repetition'>;

interface Place {
  cwd: string;
  /** Where results are kept, as it was typed. */
  results: string;
}

/** What a person calls a run or a part of it, here or among the results. Null when there is nothing of that name. */
export function keptRun(typed: string, { cwd, results }: Place): KeptRun | null {
  const named = findNamed(typed, [cwd, resolve(cwd, results)]);
  return named === null || named.rest !== '' ? null : { path: named.path, repetition: named.repetition };
}
