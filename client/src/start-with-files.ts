import type { Sent } from './client-error.ts';
import type { CoordinatorClient } from './coordinator-client.ts';
import type { StartedRun, StartRunInput } from './operations/start-run.ts';

/** The content of a local file that a case names; null when it is not there any more. */
export type ReadCaseFile = (path: string) => Promise<Uint8Array<ArrayBuffer> | null>;

/**
 * Starts a run, uploads those of its `caseFiles` that the coordinator lacks, one after another, and asks again with the
 * same key. What cannot be read stays missing, which is then the answer.
 */
export async function startRunWithFiles(
  client: Pick<CoordinatorClient, 'startRun' | 'uploadBlob'>,
  input: StartRunInput,
  read: ReadCaseFile,
): Promise<Sent<StartedRun>> {
  const first = await client.startRun(input);
  const missing = first.ok && !first.answer.ok ? (first.answer.refusal.missingBlobs ?? []) : [];
  if (missing.length === 0) return first;
  for (const sha256 of missing) {
    const file = input.caseFiles?.find((one) => one.sha256 === sha256);
    const content = file === undefined ? null : await read(file.path);
    if (content === null) continue;
    const uploaded = await client.uploadBlob({ sha256, content });
    if (!uploaded.ok) return uploaded;
  }
  return client.startRun(input);
}
