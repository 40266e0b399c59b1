import { resolve } from 'node:path';

export type VectorEnvironment = {
  /** The folder whose *.json files are read. */
  readonly folder: string;
  /** A kind that no adapter answers yet counts as failed instead of waiting. */
  readonly isStrict: boolean;
};

/** PROOFMARK_VECTORS (default: the folder of this file) and PROOFMARK_VECTORS_STRICT (1 for yes). */
export function vectorEnvironment(env: NodeJS.ProcessEnv = process.env): VectorEnvironment {
  const folder = env.PROOFMARK_VECTORS;
  return {
    folder: folder ? resolve(folder) : import.meta.dirname,
    isStrict: env.PROOFMARK_VECTORS_STRICT === '1',
  };
}
