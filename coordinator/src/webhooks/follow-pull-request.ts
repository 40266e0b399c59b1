import type { RowKey } from '../database/row-key.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import type { PullRequestNow } from '../feedback/feedback-port.ts';
import { endClosed, noteHead, supersedeOlder } from '../ledger/supersede.ts';

interface PullRequestKey {
  tenantId: string;
  repositoryId: string;
  number: number;
}

/** Ends the runs that nobody waits for any more, now that the pull request stands so, and returns them. */
export async function followPullRequest(
  database: Database,
  pullRequest: PullRequestKey,
  { isOpen, isMerged, headSha }: Pick<PullRequestNow, 'isOpen' | 'isMerged' | 'headSha'>,
): Promise<RowKey[]> {
  if (!isOpen) return endClosed(database, pullRequest, isMerged);
  const current = { ...pullRequest, headSha };
  await asWorker(database, (em) => noteHead(em, current));
  return supersedeOlder(database, current);
}
