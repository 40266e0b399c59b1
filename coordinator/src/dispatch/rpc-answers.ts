import type {
  ClaimReply,
  ClaimRequest,
  HeartbeatReply,
  HeartbeatRequest,
  HelloReply,
  HelloRequest,
  ReleaseReply,
  ReleaseRequest,
  SimulatedAnswerReply,
  SimulatedAnswerRequest,
} from '@proofmark/contracts/control-messages';
import { PROTOCOL_VERSION } from '@proofmark/contracts/task-message';
import type { Logger } from 'pino';
import { type BlobLinks, grantLivesS } from '../blobs/blob-links.ts';
import { chaosPoint } from '../database/chaos.ts';
import { readNowMs } from '../database/ledger-clock.ts';
import { isLedgerDown } from '../database/ledger-down.ts';
import type { Database } from '../database/transactions.ts';
import type { ClaimedChunk } from '../ledger/claim-chunks.ts';
import { readServedPools } from '../ledger/fleet.ts';
import { beatSession, releaseSession, storeSession } from '../ledger/sessions.ts';
import { shareSimulatedAnswer } from '../ledger/share-simulated-answer.ts';
import type { sharedTurns } from '../permits/rate-buckets.ts';
import type { Claim } from './fold-claims.ts';
import type { OwnerOf } from './session-owners.ts';

export interface RpcPorts {
  database: Database;
  ownerOf: OwnerOf;
  links: BlobLinks;
  leaseMs: number;
  heartbeatMs: number;
  claim: Claim;
  takeTurns: ReturnType<typeof sharedTurns>;
  /** Runners have taken chunks or given some back: others can be published. */
  onRoom: () => void;
  /** A runner has come: work may have waited for a pool that had nobody. */
  onRunner: () => void;
  countPermits: (counts: Partial<PermitCounts>) => void;
  /** Chunks that a runner took, each with the number of its attempt. */
  countAttempts: (claimed: readonly { attempt: number }[]) => void;
  /** A call was not answered, because nobody waits for the answer any more. */
  countDropped: (call: string) => void;
  log: Logger;
}

/** What became of the questions for permits. */
export interface PermitCounts {
  /** Turns to call a model. */
  granted: number;
  /** Questions that got none, because the limit was used up or paused. */
  empty: number;
  /** Times that a provider complained (429) about a model with a limit. */
  complaints: number;
}

/** This version, and the one before where there was one. */
const protocols = [PROTOCOL_VERSION, PROTOCOL_VERSION - 1].filter((version) => version > 0);

/** Each has a stream of its own, which costs the broker memory and the publisher a look. */
const mostPools = 64;
const tooManyPools = `Runners serve ${mostPools} pools already, which is the most: take one of those`;

export async function answerHello(
  runnerId: string,
  hello: HelloRequest,
  { database, links, leaseMs, heartbeatMs, onRunner }: RpcPorts,
): Promise<HelloReply> {
  if (!protocols.includes(hello.protocol)) {
    return { ok: false, message: 'The runner speaks another protocol: update the older one of the two', protocols };
  }
  const { version, slots, pool, pools = [pool] } = hello;
  const served = await readServedPools(database);
  const all = new Set([...served, ...pools]);
  if (all.size > mostPools && all.size > served.length) return { ok: false, message: tooManyPools, protocols };
  const sessionId = await storeSession(database, { runnerId, pools, version, slots, leaseMs });
  onRunner();
  return { ok: true, sessionId, heartbeatMs, leaseMs, filesOrigin: links.origin, sharesAnswers: true };
}

export async function answerClaim(runnerId: string, claim: ClaimRequest, ports: RpcPorts): Promise<ClaimReply> {
  if (!(await isOwn(runnerId, claim.sessionId, ports))) return { claimed: [] };
  const claimed = await ports.claim(claim);
  ports.countAttempts(claimed);
  if (claimed.length > 0) ports.onRoom();
  await chaosPoint('after_claim_commit_before_reply');
  const expires = claimed.every(({ contents }) => contents === null)
    ? 0
    : Math.floor((await readNowMs(ports.database)) / 1000) + grantLivesS;
  return { claimed: claimed.map((chunk) => withFiles(chunk, expires, ports.links)) };
}

export async function answerHeartbeat(
  runnerId: string,
  beat: HeartbeatRequest,
  ports: RpcPorts,
): Promise<HeartbeatReply> {
  try {
    if (!(await isOwn(runnerId, beat.sessionId, ports))) return { session: 'expired' };
    return await beatSession(ports.database, beat, ports.leaseMs);
  } catch (error) {
    // Nobody can take leases away meanwhile: the runner keeps what it has.
    if (isLedgerDown(error)) return { session: 'unknown', ledger: 'down' };
    throw error;
  }
}

export async function answerRelease(runnerId: string, release: ReleaseRequest, ports: RpcPorts): Promise<ReleaseReply> {
  if (!(await isOwn(runnerId, release.sessionId, ports))) return { released: 0 };
  const reply = await releaseSession(ports.database, release);
  if (reply.released > 0) ports.onRoom();
  return reply;
}

export async function answerSimulated(
  runnerId: string,
  request: SimulatedAnswerRequest,
  ports: RpcPorts,
): Promise<SimulatedAnswerReply> {
  if (!(await isOwn(runnerId, request.sessionId, ports))) return { lease: 'lost' };
  return await shareSimulatedAnswer(ports.database, request);
}

/** The files are signed for now and not with the task, which may have waited for hours. */
function withFiles(
  { contents, ...claimed }: ClaimedChunk,
  expires: number,
  links: BlobLinks,
): ClaimReply['claimed'][number] {
  if (contents === null) return claimed;
  const { tenantId: tenant, chunkId: chunk, attempt } = claimed;
  const grant = { tenant, chunk, attempt, expires };
  return { ...claimed, files: contents.map((file) => ({ ...file, url: links.sign(file.sha256, grant) })) };
}

/** The subject is what the broker's permissions vouch for; a session that another runner opened is not this one's to use. */
export async function isOwn(runnerId: string, sessionId: string, { ownerOf, log }: RpcPorts): Promise<boolean> {
  const owner = await ownerOf(sessionId);
  if (owner !== null && owner !== runnerId)
    log.error({ runnerId, sessionId, security: true }, 'A runner used the session of another');
  return owner === runnerId;
}
