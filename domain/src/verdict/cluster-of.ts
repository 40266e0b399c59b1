import type { Gate } from '@proofmark/contracts/gate';
import type { LoadedSuite } from '@proofmark/contracts/loaded';

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

/** The clusters of a suite's cases by name; cases that stand alone are not in it, null when all do. */
export function clustersOf(
  { suite, caseFiles }: Pick<LoadedSuite, 'suite' | 'caseFiles'>,
  clusterBy: Gate['cluster_by'],
): Record<string, string> | null {
  const clusters = suite.cases.flatMap(({ name, tags }): [string, string][] => {
    const cluster = clusterOf({ caseName: name, tags, file: caseFiles.get(name) ?? null }, clusterBy);
    return cluster === null ? [] : [[name, cluster]];
  });
  return clusters.length === 0 ? null : Object.fromEntries(clusters);
}
