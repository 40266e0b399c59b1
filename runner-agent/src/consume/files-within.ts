import type { FetchableFile } from '@proofmark/contracts/file-content';

/** Those of the files that lie at the one origin from which files may be fetched; none when no origin was named. */
export function filesWithin(origin: string | undefined, files: readonly FetchableFile[]): FetchableFile[] {
  return files.filter(({ url }) => origin !== undefined && new URL(url).origin === origin);
}
