import type { Gate } from '@proofmark/contracts/gate';

export interface ClusteredCase {
  caseName: string;
  tags: readonly string[];
  /** The file in which the case stands; null when that is not known. */
  file: string | null;
}

/** What a case shares with others by the suite's `cluster_by`; null for a case that stands alone. */
export function clusterOf({ tags, file }: ClusteredCase, clusterBy: Gate['cluster_by']): string | null {
  if (clusterBy === 'none') return null;
  if (clusterBy === 'file') return file;
  const prefix = clusterBy.slice('tag:'.length);
  return tags.filter((tag) => tag.startsWith(prefix)).toSorted()[0] ?? null;
}
