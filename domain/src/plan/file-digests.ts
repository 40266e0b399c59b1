import type { FileContent } from '@proofmark/contracts/file-content';
import type { PlanInput } from './run-request.ts';

/** Tells the plan what is in the local files of cases; a file that is not among them is not known. */
export function fileDigestIn(contents: readonly FileContent[]): NonNullable<PlanInput['fileDigest']> {
  const byPath = new Map(contents.map(({ path, sha256 }) => [path, sha256]));
  return (_suitePath, { path }) => (path === undefined ? null : (byPath.get(path) ?? null));
}
