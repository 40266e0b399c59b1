import { createHash } from 'node:crypto';
import type { FileContent } from '@proofmark/contracts/file-content';
import type { LoadedSuite } from '@proofmark/contracts/loaded';
import { readLocalFile } from '@proofmark/process/read-local-file';

/**
 * What is in the local files that cases name, in the order of their paths. One that cannot be read is left out: its cases
 * will say so when they run.
 */
export async function hashCaseFiles(
  suites: readonly Pick<LoadedSuite, 'suite'>[],
  root: string,
): Promise<FileContent[]> {
  const named = suites.flatMap(({ suite }) =>
    suite.cases.flatMap(({ files }) => files.flatMap(({ path }) => path ?? [])),
  );
  const contents: FileContent[] = [];
  for (const path of [...new Set(named)].toSorted()) {
    const content = await readCaseFile(path, root);
    if (content !== null) contents.push({ path, sha256: createHash('sha256').update(content).digest('hex') });
  }
  return contents;
}

/** The content of a local file of a case; null when it cannot be read. */
export async function readCaseFile(path: string, root: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const read = await readLocalFile(path, root);
  return read.ok ? new Uint8Array(read.bytes) : null;
}
