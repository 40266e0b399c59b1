import type { ClaimRequest } from '@proofmark/contracts/control-messages';
import type { Database } from '../database/transactions.ts';
import { type ClaimedChunk, claimChunks } from '../ledger/claim-chunks.ts';

const mostAtOnce = 64;

export type Claim = (request: ClaimRequest) => Promise<ClaimedChunk[]>;

interface Waiting {
  request: ClaimRequest;
  resolve: (claimed: ClaimedChunk[]) => void;
  reject: (error: unknown) => void;
}

/** Claims that come while others are under way are answered together, by one statement for all of them. */
export function foldClaims(database: Database): Claim {
  const waiting: Waiting[] = [];
  let isClaiming = false;

  const claimWaiting = async () => {
    isClaiming = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, mostAtOnce);
      await claimTogether(database, batch);
    }
    isClaiming = false;
  };

  return (request) =>
    new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject });
      if (!isClaiming) void claimWaiting();
    });
}

async function claimTogether(database: Database, batch: readonly Waiting[]): Promise<void> {
  try {
    const answers = await claimChunks(
      database,
      batch.map(({ request }) => request),
    );
    for (const [at, { resolve }] of batch.entries()) resolve(answers[at] ?? []);
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}
