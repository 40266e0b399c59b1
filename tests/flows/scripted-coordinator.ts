import { randomUUID } from 'node:crypto';
import { AckPolicy, type JetStreamClient, jetstream, jetstreamManager, RetentionPolicy } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { type CaseWork, WorkCase, WorkSetting } from '@proofmark/contracts/case-work';
import {
  type ChunkRef,
  ClaimRequest,
  type HeartbeatReply,
  HeartbeatRequest,
  HelloRequest,
  type PoolNotice,
  ReleaseRequest,
} from '@proofmark/contracts/control-messages';
import { ResultMessage, type TestRunResult } from '@proofmark/contracts/result-message';
import {
  poolSubject,
  RESULTS_STREAM,
  RESULTS_SUBJECTS,
  RPC_SUBJECTS,
  WORK_CONSUMER,
  workStream,
  workSubject,
  workSubjects,
} from '@proofmark/contracts/subjects';
import type { TaskMessage } from '@proofmark/contracts/task-message';
import { brokerOptions } from '@proofmark/process/broker-login';
import { withNewKeys } from '../stack/with-new-keys.ts';

type Options = {
  natsUrl: string;
  leaseMs?: number;
  heartbeatMs?: number;
  refuse?: boolean;
  isNewer?: boolean;
  fleetSize?: number;
};

/** One run that has been announced: its tasks can be published. */
export type ScriptedRun = { runId: string; tenantId: string; publish: (...work: CaseWork[]) => Promise<string[]> };

/** What it calls every case. */
export const casesId = '6f0c2a4e-3f6b-4f5e-9a55-0d4a8c1b7e21';

/**
 * The coordinator's side of the protocol without a ledger: every claim is granted, every result counts as recorded, and
 * a test decides what is answered. Only for tests of the runner.
 */
export class ScriptedCoordinator implements AsyncDisposable {
  readonly hellos: HelloRequest[] = [];
  readonly claims: ClaimRequest[] = [];
  readonly heartbeats: HeartbeatRequest[] = [];
  readonly releases: ReleaseRequest[] = [];
  /** Every result that arrived, repeated ones included. */
  readonly results: (TestRunResult & { testRunId: string })[] = [];
  /** Sessions that heartbeats are answered for; all others are expired. */
  readonly sessions = new Set<string>();
  /** While false, heartbeats get no answer. */
  answersHeartbeats = true;
  /** While false, results are `unknown` to the ledger. */
  records = true;
  readonly tenantId = randomUUID();

  readonly #connection: NatsConnection;
  readonly #js: JetStreamClient;
  readonly #options: Required<Options>;
  readonly #members = new Map<string, string[]>();
  readonly #attempts = new Map<string, number>();
  readonly #solo = new Set<string>();

  static async start(options: Options): Promise<ScriptedCoordinator> {
    const connection = await connect(brokerOptions({ NATS_URL: options.natsUrl }));
    const jsm = await jetstreamManager(connection);
    await jsm.streams.add({
      name: workStream('default'),
      subjects: [workSubjects('default')],
      retention: RetentionPolicy.Workqueue,
    });
    await jsm.consumers.add(workStream('default'), {
      durable_name: WORK_CONSUMER,
      ack_policy: AckPolicy.Explicit,
      ack_wait: 30_000_000_000,
    });
    await jsm.streams.add({ name: RESULTS_STREAM, subjects: [RESULTS_SUBJECTS], retention: RetentionPolicy.Workqueue });
    return new ScriptedCoordinator(connection, {
      leaseMs: 25_000,
      heartbeatMs: 100,
      refuse: false,
      isNewer: false,
      fleetSize: 1,
      ...options,
    });
  }

  private constructor(connection: NatsConnection, options: Required<Options>) {
    this.#connection = connection;
    this.#js = jetstream(connection);
    this.#options = options;
    connection.subscribe(RPC_SUBJECTS, {
      callback: (_, message) => {
        const answer = this.#answer(message.subject.split('.').at(-1) ?? '', message.json());
        if (answer !== undefined) message.respond(this.#write(answer));
      },
    });
    connection.subscribe(RESULTS_SUBJECTS, {
      callback: (_, message) =>
        void this.results.push(
          ...ResultMessage.parse(message.json()).results.map((result) => ({
            ...result,
            testRunId: this.#members.get(result.chunkId)?.[result.at] ?? 'unknown',
          })),
        ),
    });
  }

  startRun(): ScriptedRun {
    const { tenantId } = this;
    const runId = randomUUID();
    const publish = (...work: CaseWork[]) => Promise.all(work.map((one) => this.#publish(runId, [[one]])));
    return { runId, tenantId, publish: async (...work) => (await publish(...work)).flat() };
  }

  /** Both sides of one repetition in one task. */
  async publishPair(runId: string, pair: [CaseWork, CaseWork]): Promise<string[]> {
    return this.#publish(runId, [pair]);
  }

  /** A test run that has taken two runners with it already. */
  async publishSolo(runId: string, work: CaseWork): Promise<void> {
    await this.#publish(runId, [[work]], (chunkId) => this.#solo.add(chunkId));
  }

  tell(kind: PoolNotice['kind'], runId: string): void {
    this.#connection.publish(
      poolSubject('default'),
      this.#write({ kind, tenantId: this.tenantId, runId } satisfies PoolNotice),
    );
  }

  /** Messages that are still in the work stream: neither acknowledged nor taken out. */
  async openTasks(): Promise<number> {
    const jsm = await jetstreamManager(this.#connection);
    return (await jsm.streams.info(workStream('default'))).state.messages;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.close();
  }

  /** A chunk of so many test runs, each of which takes a slot. */
  async publishChunk(runId: string, works: readonly CaseWork[]): Promise<string[]> {
    return this.#publish(
      runId,
      works.map((work) => [work]),
    );
  }

  async #publish(
    runId: string,
    turns: readonly (readonly CaseWork[])[],
    onChunk: (chunkId: string) => void = () => undefined,
  ): Promise<string[]> {
    const chunkId = randomUUID();
    onChunk(chunkId);
    const works = turns.flat();
    const ids = works.map(() => randomUUID());
    this.#members.set(chunkId, ids);
    let at = 0;
    const testRunOf = ({ repetition, seed }: CaseWork) => {
      const place = at++;
      return {
        at: place,
        testRunId: ids[place] ?? '',
        testCaseId: casesId,
        setting: place,
        case: place,
        repetition,
        seed,
      };
    };
    const task: TaskMessage = {
      ...{ v: 1, kind: 'task', tenantId: this.tenantId, runId, chunkId, publishGen: 0 },
      settings: works.map((work) => WorkSetting.strip().parse(work)),
      cases: works.map((work) => WorkCase.strip().parse(work)),
      turns: turns.map((turn) => turn.map(testRunOf)),
    };
    await this.#js.publish(
      workSubject('default', this.tenantId, runId, chunkId),
      this.#options.isNewer ? JSON.stringify({ ...task, keyOfALaterVersion: 1 }) : JSON.stringify(task),
    );
    return ids;
  }

  #write(message: unknown): string {
    return JSON.stringify(this.#options.isNewer ? withNewKeys(message) : message);
  }

  #answer(call: string, request: unknown): unknown {
    switch (call) {
      case 'hello':
        return this.#hello(HelloRequest.parse(request));
      case 'claim':
        return this.#claim(ClaimRequest.parse(request));
      case 'heartbeat':
        return this.answersHeartbeats ? this.#heartbeat(HeartbeatRequest.parse(request)) : undefined;
      case 'release':
        this.releases.push(ReleaseRequest.parse(request));
        return { released: 0 };
      default:
        return undefined;
    }
  }

  #hello(request: HelloRequest): unknown {
    this.hellos.push(request);
    if (this.#options.refuse) return { ok: false, message: 'This runner is too old', protocols: [8, 9] };
    const sessionId = randomUUID();
    this.sessions.add(sessionId);
    const { heartbeatMs, leaseMs } = this.#options;
    return { ok: true, sessionId, heartbeatMs, leaseMs };
  }

  #claim(request: ClaimRequest): unknown {
    this.claims.push(request);
    const claimed = request.chunks.map((chunk) => {
      const attempt = (this.#attempts.get(chunk.chunkId) ?? 0) + 1;
      this.#attempts.set(chunk.chunkId, attempt);
      return { ...chunk, attempt, solo: this.#solo.has(chunk.chunkId) };
    });
    return { claimed };
  }

  #heartbeat(request: HeartbeatRequest): HeartbeatReply {
    this.heartbeats.push(request);
    if (!this.sessions.has(request.sessionId)) return { session: 'expired' };
    const isHere = (chunk: ChunkRef, at: number) =>
      this.results.some((one) => one.chunkId === chunk.chunkId && one.attempt === chunk.attempt && one.at === at);
    return {
      session: 'open',
      abandoned: [],
      confirmations: request.unconfirmed.map(({ at, ...chunk }) => ({
        ...chunk,
        recorded: this.records ? at.filter((place) => isHere(chunk, place)) : [],
        superseded: [],
      })),
      fleetSize: this.#options.fleetSize,
    };
  }
}
