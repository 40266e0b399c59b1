import type { ClaimRequest } from '@proofmark/contracts/control-messages';
import type { Logger } from 'pino';
import type { RowKey } from '../database/row-key.ts';
import type { Database } from '../database/transactions.ts';
import { type ClaimedChunk, claimChunks, markRunning } from '../ledger/claim-chunks.ts';

const mostAtOnce = 64;

export type Claim = (request: ClaimRequest) => Promise<ClaimedChunk[]>;

interface Waiting {
  request: ClaimRequest;
  resolve: (claimed: ClaimedChunk[]) => void;
  reject: (error: unknown) => void;
}

interface Claims {
  claim: Claim;
  /** What is still to be noted of answered claims is noted. */
  settled: () => Promise<unknown>;
}

/** Claims that come while others are under way are answered together, by one statement for all of them. */
export function foldClaims(database: Database, log: Logger): Claims {
  const waiting: Waiting[] = [];
  let isClaiming = false;
  let noting: Promise<unknown> = Promise.resolve();

  // A runner need not wait for this before its first question; where it fails, the next claim of the suite run notes it.
  const begun = async (suiteRuns: readonly RowKey[]) => {
    const noted = markRunning(database, suiteRuns).catch((error: unknown) => {
      log.warn({ error }, 'It was not noted that suite runs have begun');
    });
    noting = Promise.all([noting, noted]).then(() => undefined);
  };

  const claimWaiting = async () => {
    isClaiming = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, mostAtOnce);
      await claimTogether(batch, (requests) => claimChunks(database, requests, begun));
    }
    isClaiming = false;
  };

  return {
    claim: (request) =>
      new Promise((resolve, reject) => {
        waiting.push({ request, resolve, reject });
        if (!isClaiming) void claimWaiting();
      }),
    settled: () => noting,
  };
}

type ClaimAll = (requests: readonly ClaimRequest[]) => Promise<ClaimedChunk[][]>;

async function claimTogether(batch: readonly Waiting[], claim: ClaimAll): Promise<void> {
  try {
    const answers = await claim(batch.map(({ request }) => request));
    for (const [at, { resolve }] of batch.entries()) resolve(answers[at] ?? []);
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}
