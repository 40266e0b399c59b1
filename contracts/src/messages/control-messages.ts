import { z } from 'zod';
import { CassetteEntry } from '../definitions/cassette.ts';
import { PoolName } from '../definitions/pool.ts';
import { FetchableFile } from './file-content.ts';
import { ChunkPlace, LARGEST_CHUNK } from './task-message.ts';

const uuid = z.uuid();

/** Runner to coordinator, request and reply on `pm.rpc.<runner>.<call>`. */
export const HelloRequest = z.strictObject({
  protocol: z.int(),
  version: z.string(),
  pool: z.string(),
  /** All pools that it serves, the first one of them `pool`; a runner that does not say it serves that one alone. */
  pools: z.array(PoolName).min(1).max(16).optional(),
  slots: z.int().min(1),
});
export type HelloRequest = z.infer<typeof HelloRequest>;

export const HelloReply = z.discriminatedUnion('ok', [
  z.strictObject({
    ok: z.literal(true),
    sessionId: uuid,
    heartbeatMs: z.int().min(1),
    leaseMs: z.int().min(1),
    /** The only origin from which files of cases may be fetched. */
    filesOrigin: z.string().optional(),
    /** Whether it can be asked what simulated tools have answered in a run; one that cannot would never reply. */
    sharesAnswers: z.boolean().optional(),
  }),
  z.strictObject({ ok: z.literal(false), message: z.string(), protocols: z.array(z.int()) }),
]);
export type HelloReply = z.infer<typeof HelloReply>;

/** A chunk under the attempt at which its holder has it. */
export const ChunkRef = z.strictObject({ tenantId: uuid, chunkId: uuid, attempt: z.int().min(1) });
export type ChunkRef = z.infer<typeof ChunkRef>;

/** Some of the test runs of a chunk, by their places in it. */
export const PlacesRef = ChunkRef.extend({ at: z.array(ChunkPlace).max(LARGEST_CHUNK) });
export type PlacesRef = z.infer<typeof PlacesRef>;

export const ClaimRequest = z.strictObject({
  sessionId: uuid,
  claimId: uuid,
  chunks: z
    .array(ChunkRef.omit({ attempt: true }))
    .min(1)
    .max(32),
});
export type ClaimRequest = z.infer<typeof ClaimRequest>;

/** Chunks that are not listed are not the runner's: done, cancelled, or held by a live session. */
export const ClaimReply = z.strictObject({
  claimed: z.array(
    z.strictObject({
      ...ChunkRef.shape,
      solo: z.boolean(),
      /** Local files of its cases. */
      files: z
        .array(FetchableFile)
        .max(10 * LARGEST_CHUNK)
        .optional(),
    }),
  ),
});
export type ClaimReply = z.infer<typeof ClaimReply>;

export const HeartbeatRequest = z.strictObject({
  sessionId: uuid,
  held: z.array(ChunkRef),
  /** Of the chunks that are held, the test runs that have not begun. */
  waiting: z.array(PlacesRef),
  /** Results that were sent and of which nobody has said yet that they arrived. */
  unconfirmed: z.array(PlacesRef),
});
export type HeartbeatRequest = z.infer<typeof HeartbeatRequest>;

export const HeartbeatReply = z.discriminatedUnion('session', [
  z.strictObject({
    session: z.literal('open'),
    /** Chunks among `held` that are void: their run was cancelled, or another session has them. */
    abandoned: z.array(ChunkRef),
    /** What has become of unconfirmed results; one that is not named has not arrived. */
    confirmations: z.array(ChunkRef.extend({ recorded: z.array(ChunkPlace), superseded: z.array(ChunkPlace) })),
    fleetSize: z.int().min(1),
  }),
  z.strictObject({ session: z.literal('expired') }),
  /** The coordinator lives but its ledger does not answer: nobody can take the leases away meanwhile. */
  z.strictObject({ session: z.literal('unknown'), ledger: z.literal('down') }),
]);
export type HeartbeatReply = z.infer<typeof HeartbeatReply>;

/** Turns to call a model with a limit, or the word that its provider has complained (429). */
export const PermitsRequest = z.strictObject({
  sessionId: uuid,
  tenantId: uuid,
  /** Endpoint and model. */
  key: z.string().min(1).max(500),
  /** The limits as they are configured. */
  perSecond: z.number().positive().optional(),
  burst: z.int().min(1).optional(),
  tokensPerSecond: z.number().positive().optional(),
  inFlight: z.int().min(1).optional(),
  ask: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('take'),
      want: z.int().min(0).max(100_000),
      /** Tokens of a call, as far as one can tell before, and how many more calls took than was told. */
      cost: z.number().min(0).optional(),
      settle: z.number().optional(),
      /** Calls under way: so many of those that were allowed it keeps, and so many it would have. */
      holds: z.int().min(0).optional(),
      wants: z.int().min(0).optional(),
    }),
    z.strictObject({ kind: z.literal('slow-down'), pauseMs: z.number().min(0).nullable() }),
  ]),
});
export type PermitsRequest = z.infer<typeof PermitsRequest>;

export const PermitsReply = z.discriminatedUnion('ledger', [
  z.strictObject({
    ledger: z.literal('up'),
    granted: z.int().min(0),
    /** From now to the first turn; each next one is `spacingMs` later. */
    firstMs: z.number().min(0),
    spacingMs: z.number().min(0),
    /** When none was granted: worth asking again after so long. */
    againMs: z.number().min(0),
    /** Nobody may call for so long. */
    pausedMs: z.number().min(0).optional(),
    /** So many calls it may have under way, and so many it keeps when some have ended. */
    held: z.int().min(0).optional(),
    share: z.int().min(0).optional(),
  }),
  /** The buckets cannot be read: each runner takes its share of the last rate meanwhile. */
  z.strictObject({ ledger: z.literal('down') }),
]);
export type PermitsReply = z.infer<typeof PermitsReply>;

/** Test runs that the runner will not finish. A closing runner gives back all that it holds. */
export const ReleaseRequest = z.strictObject({
  sessionId: uuid,
  given: z.array(PlacesRef),
  closing: z.boolean(),
});
export type ReleaseRequest = z.infer<typeof ReleaseRequest>;

export const ReleaseReply = z.strictObject({ released: z.int().min(0) });
export type ReleaseReply = z.infer<typeof ReleaseReply>;

/** What a simulated tool answers in the run of a held chunk; with `entry` when the model was asked, to record that. */
export const SimulatedAnswerRequest = z.strictObject({
  sessionId: uuid,
  ...ChunkRef.shape,
  key: CassetteEntry.shape.key,
  entry: CassetteEntry.optional(),
});
export type SimulatedAnswerRequest = z.infer<typeof SimulatedAnswerRequest>;

export const SimulatedAnswerReply = z.discriminatedUnion('lease', [
  /** Null: the model has to be asked. */
  z.strictObject({ lease: z.literal('held'), known: CassetteEntry.nullable() }),
  z.strictObject({ lease: z.literal('lost') }),
]);
export type SimulatedAnswerReply = z.infer<typeof SimulatedAnswerReply>;

/** Coordinator to all runners of a pool on `pm.ctl.pool.<pool>`; whoever misses it learns from the next heartbeat. */
export const PoolNotice = z.strictObject({
  kind: z.literal('run-cancelled'),
  tenantId: uuid,
  runId: uuid,
});
export type PoolNotice = z.infer<typeof PoolNotice>;

/** Coordinator to subscribers on `pm.evt.<tenant>.<run>`: a hint to read the ledger again, at most once. */
export const RunEvent = z.strictObject({ tenantId: uuid, runId: uuid });
export type RunEvent = z.infer<typeof RunEvent>;
