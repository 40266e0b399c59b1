import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where downloads are kept unless somebody says otherwise: outside of every repository, apart for each user of the machine. */
export function usualCacheFolder(): string {
  return join(tmpdir(), `proofmark-cache-${process.getuid?.() ?? 'user'}`);
}
