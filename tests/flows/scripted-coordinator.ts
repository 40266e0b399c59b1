import { randomUUID } from 'node:crypto';
import { AckPolicy, type JetStreamClient, jetstream, jetstreamManager, RetentionPolicy } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { CaseWork } from '@proofmark/contracts/case-work';
import {
  type AttemptRef,
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
  workStream,
  workSubject,
  workSubjects,
} from '@proofmark/contracts/subjects';
import type { TaskMessage } from '@proofmark/contracts/task-message';
import { brokerOptions } from '@proofmark/process/broker-login';
import { withNewKeys } from '../stack/with-new-keys.ts';

type Options = { natsUrl: string; leaseMs?: number; heartbeatMs?: number; refuse?: boolean; isNewer?: boolean };

/** One run that has been announced: its tasks can be published. */
export type ScriptedRun = { runId: string; tenantId: string; publish: (...work: CaseWork[]) => Promise<string[]> };

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
  readonly results: TestRunResult[] = [];
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
  readonly #runs = new Set<string>();
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
    await jsm.streams.add({ name: RESULTS_STREAM, subjects: [RESULTS_SUBJECTS], retention: RetentionPolicy.Workqueue });
    return new ScriptedCoordinator(connection, {
      leaseMs: 25_000,
      heartbeatMs: 100,
      refuse: false,
      isNewer: false,
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
      callback: (_, message) => void this.results.push(...ResultMessage.parse(message.json()).results),
    });
  }

  /** A run whose consumer exists and that runners have been told of. */
  async startRun(): Promise<ScriptedRun> {
    const { tenantId } = this;
    const runId = randomUUID();
    const jsm = await jetstreamManager(this.#connection);
    await jsm.consumers.add(workStream('default'), {
      durable_name: runId,
      filter_subject: `pm.work.default.${tenantId}.${runId}.>`,
      ack_policy: AckPolicy.Explicit,
      ack_wait: 30_000_000_000,
    });
    this.#runs.add(runId);
    this.tell('run-started', runId);
    const publish = (...work: CaseWork[]) => Promise.all(work.map((one) => this.#publish(runId, [one])));
    return { runId, tenantId, publish: async (...work) => (await publish(...work)).flat() };
  }

  /** Both sides of one repetition in one task. */
  async publishPair(runId: string, pair: [CaseWork, CaseWork]): Promise<string[]> {
    return this.#publish(runId, pair);
  }

  /** A test run that has taken two runners with it already. */
  async publishSolo(runId: string, work: CaseWork): Promise<void> {
    await this.#publish(runId, [work], (testRunId) => this.#solo.add(testRunId));
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

  async #publish(
    runId: string,
    works: readonly CaseWork[],
    onId: (testRunId: string) => void = () => undefined,
  ): Promise<string[]> {
    const testRuns = works.map((work) => ({ testRunId: randomUUID(), suiteRunId: randomUUID(), work }));
    for (const { testRunId } of testRuns) onId(testRunId);
    const task: TaskMessage = { v: 1, kind: 'task', tenantId: this.tenantId, runId, publishGen: 0, testRuns };
    await this.#js.publish(
      workSubject('default', this.tenantId, runId, testRuns[0]?.testRunId ?? ''),
      this.#options.isNewer ? JSON.stringify({ ...task, keyOfALaterVersion: 1 }) : JSON.stringify(task),
    );
    return testRuns.map(({ testRunId }) => testRunId);
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
    return { ok: true, sessionId, heartbeatMs, leaseMs, activeRuns: this.#activeRuns() };
  }

  #claim(request: ClaimRequest): unknown {
    this.claims.push(request);
    const claimed = request.testRunIds.map((testRunId) => {
      const attempt = (this.#attempts.get(testRunId) ?? 0) + 1;
      this.#attempts.set(testRunId, attempt);
      return { testRunId, attempt, solo: this.#solo.has(testRunId) };
    });
    return { claimed };
  }

  #heartbeat(request: HeartbeatRequest): HeartbeatReply {
    this.heartbeats.push(request);
    if (!this.sessions.has(request.sessionId)) return { session: 'expired' };
    const isHere = (ref: AttemptRef) =>
      this.results.some((result) => result.testRunId === ref.testRunId && result.attempt === ref.attempt);
    return {
      session: 'open',
      abandoned: [],
      confirmations: request.unconfirmed.map((ref) => ({
        ...ref,
        state: this.records && isHere(ref) ? 'recorded' : 'unknown',
      })),
      activeRuns: this.#activeRuns(),
      fleetSize: 1,
    };
  }

  #activeRuns() {
    return [...this.#runs].map((runId) => ({ tenantId: this.tenantId, runId }));
  }
}
