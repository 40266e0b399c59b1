import { JetStreamApiError, type JetStreamClient, jetstream } from '@nats-io/jetstream';
import { InvalidArgumentError, type NatsConnection } from '@nats-io/transport-node';
import { RUNNER_API } from '@proofmark/contracts/broker-accounts';
import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import {
  type ChunkRef,
  type HeartbeatReply,
  type HeartbeatRequest,
  type PlacesRef,
  type PoolNotice,
  ReleaseReply,
} from '@proofmark/contracts/control-messages';
import { DEFAULT_POOL } from '@proofmark/contracts/pool';
import { resultSubject } from '@proofmark/contracts/subjects';
import { PROTOCOL_VERSION } from '@proofmark/contracts/task-message';
import { reasonOf } from '@proofmark/domain/log-line';
import type { BrokerLogin } from '@proofmark/process/broker-login';
import { pause } from '@proofmark/process/pause';
import { waitLog } from '@proofmark/process/wait-log';
import type { Logger } from 'pino';
import type { CasePorts } from '../case/case-state.ts';
import { FairSlots, WaitingRoom } from '../slots/fair-slots.ts';
import { askCoordinator } from './ask-coordinator.ts';
import type { RunnerChaos } from './chaos.ts';
import { claimTasks, type OfferedChunk, readOffer } from './claim-tasks.ts';
import { consumePool } from './consume-pool.ts';
import { drainRunner } from './drain-runner.ts';
import { type HeldAttempt, HeldAttempts } from './held-attempts.ts';
import { listenToNotices } from './listen-to-notices.ts';
import { ResultOutbox } from './publish-results.ts';
import { runChunk } from './run-chunk.ts';
import { SessionKeeper } from './session-keeper.ts';
import { fleetPermits, shareCassette, watchedPorts } from './watched-ports.ts';

/** What NATS takes unless it is set otherwise. */
const largestPayload = 1024 * 1024;
const largestUnconfirmedBytes = 64 * 1024 * 1024;

export interface RunnerOptions {
  connection: NatsConnection;
  login: BrokerLogin;
  runnerId: string;
  /** At least one. */
  pools: readonly string[];
  slots: number;
  version: string;
  ports: Omit<CasePorts, 'pause' | 'place'>;
  /** An attempt at a test run has ended, however it did. */
  onOutcome: (outcome: CaseOutcome, how: { isJudgedAgain: boolean }) => void;
  chaos: RunnerChaos;
  log: Logger;
  /** The coordinator asks this runner to end. */
  onDrain: () => void;
  /** The runner cannot go on. */
  onFailure: (error: Error) => void;
}

export interface RunnerStatus {
  held: number;
  unconfirmed: number;
  freeSlots: number;
  /** Cases that wait for their turn to call a model, without a slot. */
  waiting: number;
  /** Time since the coordinator last answered a heartbeat; null before the first session. */
  silentMs: number | null;
}

/** A runner from its connection to its results. `start` it once, then either `drain` or only dispose of it. */
export class Runner implements AsyncDisposable {
  readonly #options: RunnerOptions;
  readonly #js: JetStreamClient;
  readonly #held = new HeldAttempts();
  readonly #slots: FairSlots;
  readonly #outbox: ResultOutbox;
  readonly #take: (batch: readonly OfferedChunk[]) => Promise<void>;
  readonly #taking = new AbortController();
  #taken: Promise<void> = Promise.resolve();
  #claimed: Promise<unknown> = Promise.resolve();
  readonly #room: WaitingRoom;
  #fleetSize = 1;
  #keeper: SessionKeeper | undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
    // A runner with a key is alone in its account, from which JetStream is reached under another prefix.
    const hasKey = options.login.PROOFMARK_NATS_SEED !== undefined;
    this.#js = jetstream(options.connection, hasKey ? { apiPrefix: RUNNER_API } : {});
    this.#slots = new FairSlots(options.slots);
    this.#room = new WaitingRoom(options.slots);
    const publishing = waitLog(options.log, 'NATS to take results');
    this.#outbox = new ResultOutbox({
      publish: async (runId, payload, msgID) => {
        try {
          await this.#js.publish(resultSubject(options.runnerId, runId), payload, { msgID });
        } catch (error) {
          if (isRefusedForSize(error)) return 'too_large';
          throw error;
        }
        publishing.over();
        return 'taken';
      },
      maxPayload: () => options.connection.info?.max_payload ?? largestPayload,
      monotonicMs: () => performance.now(),
      onPublished: () => options.chaos.at('after_publish_before_confirm'),
      onTrouble: (error) => publishing.failed(reasonOf(error)),
    });
    const sessionId = () => this.#keeper?.sessionId;
    const permitsOf = fleetPermits({ ...options, sessionId, fleetSize: () => this.#fleetSize });
    const taking = {
      ...{ ...options, held: this.#held, outbox: this.#outbox, room: this.#room, slots: this.#slots, sessionId },
      portsOf: watchedPorts(options.ports, permitsOf),
      release: async (of: string, given: PlacesRef[]) => {
        const request = { sessionId: of, given, closing: false };
        await askCoordinator(options.connection, { ...options, call: 'release', request, reply: ReleaseReply });
      },
      hasCompany: () => this.#fleetSize > 1,
      filesOrigin: () => this.#keeper?.filesOrigin,
      cassetteOf: (attempt: HeldAttempt) =>
        this.#keeper?.sharesAnswers ? shareCassette(options.connection, options.runnerId, attempt) : undefined,
    };
    this.#take = async (batch) => {
      const claiming = claimTasks(batch, taking).catch((error: unknown) => {
        options.log.error({ error }, 'Work could not be claimed');
        return [];
      });
      this.#claimed = Promise.all([this.#claimed, claiming]).then(() => undefined);
      const chunks = await claiming;
      await Promise.all(chunks.map((turns) => runChunk(turns, taking)));
    };
  }

  /** Resolves with the session open. Rejects when the coordinator refuses this runner, or with the signal's reason. */
  async start(signal: AbortSignal): Promise<void> {
    const { options, snapshot } = { options: this.#options, snapshot: () => this.#snapshot() };
    listenToNotices(options.connection, { ...options, onNotice: (notice) => this.#heed(notice) });
    this.#keeper = await SessionKeeper.start(
      {
        ...options,
        hello: {
          ...{ protocol: PROTOCOL_VERSION, version: options.version, slots: options.slots },
          ...{ pool: options.pools[0] ?? DEFAULT_POOL, pools: [...options.pools] },
        },
        snapshot,
        onReply: (reply) => this.#read(reply),
        onLeaseLost: (reason) => this.#giveUp(() => true, reason),
      },
      signal,
    );
    // They share the slots: what one has claimed more than there is room for goes back like everything that is not begun.
    const taken = options.pools.map((pool) =>
      consumePool({
        ...{ ...options, pool, js: this.#js, slots: this.#slots, room: this.#room },
        whenOpen: (end) => this.#whenRoomForMore(end),
        isOpen: () => this.isOpen,
        read: (message) => readOffer(message, options.log),
        take: this.#take,
        signal: this.#taking.signal,
      }),
    );
    this.#taken = Promise.all(taken).then(() => undefined);
  }

  get status(): RunnerStatus {
    return {
      held: this.#held.size,
      unconfirmed: this.#outbox.size,
      freeSlots: this.#slots.free,
      waiting: this.#room.size,
      silentMs: this.#keeper?.silentMs ?? null,
    };
  }

  /** Whether a new model call may start. */
  get isOpen(): boolean {
    return this.#keeper?.isOpen ?? true;
  }

  /** Resolves as soon as a new model call may start. */
  async whenOpen(signal: AbortSignal): Promise<void> {
    await this.#keeper?.whenOpen(signal);
  }

  async drain(graceMs: number): Promise<void> {
    const keeper = this.#keeper;
    if (!keeper) return;
    await drainRunner(
      { ...this.#options, stopTaking: () => this.#stopTaking(), held: this.#held, outbox: this.#outbox, keeper },
      graceMs,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopTaking();
    this.#giveUp(() => true, 'The runner ends');
    await this.#outbox.close();
    await this.#keeper?.[Symbol.asyncDispose]();
  }

  async #stopTaking(): Promise<void> {
    this.#taking.abort(new Error('The runner ends'));
    await this.#taken;
    await this.#claimed;
  }

  #snapshot(): Omit<HeartbeatRequest, 'sessionId'> {
    const { unconfirmed } = this.#outbox;
    // A finished attempt stays this runner's until its result is recorded: left out, it would be given to another.
    const all = [...this.#held.places, ...unconfirmed].map(({ at: _at, ...ref }) => ref);
    const held = [...new Map(all.map((ref) => [`${ref.chunkId}:${ref.attempt}`, ref])).values()];
    return { held, waiting: this.#held.waiting, unconfirmed };
  }

  async #whenRoomForMore(signal: AbortSignal): Promise<void> {
    await this.whenOpen(signal);
    while (this.#outbox.bytes > largestUnconfirmedBytes) await pause(250, signal);
  }

  #read({ confirmations, abandoned, fleetSize }: Extract<HeartbeatReply, { session: 'open' }>): void {
    this.#fleetSize = fleetSize;
    this.#options.chaos.at('on_heartbeat').catch(this.#options.onFailure);
    this.#outbox.confirm(confirmations);
    const isVoid = (held: ChunkRef): boolean =>
      abandoned.some(({ chunkId, attempt }) => chunkId === held.chunkId && attempt === held.attempt);
    if (abandoned.length > 0) this.#giveUp(isVoid, 'The coordinator has given up the attempt');
  }

  #heed({ runId }: PoolNotice): void {
    this.#giveUp((attempt) => attempt.runId === runId, 'The run was cancelled');
  }

  #giveUp(applies: Parameters<HeldAttempts['abort']>[0], reason: string): void {
    const count = this.#held.abort(applies, reason);
    if (count > 0) this.#options.log.info({ count, reason }, 'Test runs were given up');
  }
}

/** "message size exceeds maximum allowed": the stream's own limit. */
const exceedsStreamLimit = 10054;

/** Whether a message was not taken because of its size: the client knows the server's limit, the stream may have a lower one. */
function isRefusedForSize(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return error.apiError().err_code === exceedsStreamLimit;
  return error instanceof InvalidArgumentError && error.message.includes('max_payload');
}
