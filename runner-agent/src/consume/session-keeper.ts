import type { NatsConnection } from '@nats-io/transport-node';
import type { HeartbeatReply, HeartbeatRequest, HelloRequest } from '@proofmark/contracts/control-messages';
import { type Stance, stanceOf } from '@proofmark/domain/lifecycle';
import type { BrokerLogin } from '@proofmark/process/broker-login';
import { pause } from '@proofmark/process/pause';
import { type WaitLog, waitLog } from '@proofmark/process/wait-log';
import type { Logger } from 'pino';
import { type HeartbeatThread, startHeartbeatThread } from './heartbeat-thread.ts';
import { openSession, type Session } from './open-session.ts';

/** How often the main loop tells the heartbeat thread what it holds, and looks at the time since the last answer. */
const tickMs = 250;

export interface SessionKeeperOptions {
  connection: NatsConnection;
  login: BrokerLogin;
  runnerId: string;
  hello: HelloRequest;
  log: Logger;
  /** What this process holds right now. */
  snapshot: () => Omit<HeartbeatRequest, 'sessionId'>;
  onReply: (reply: Extract<HeartbeatReply, { session: 'open' }>) => void;
  /** The leases may belong to others now: everything in flight must end. */
  onLeaseLost: (reason: string) => void;
  /** The heartbeats cannot go on. */
  onFailure: (error: Error) => void;
}

/** Keeps one session with the coordinator alive, and opens the next one when it is lost. */
export class SessionKeeper implements AsyncDisposable {
  readonly #options: SessionKeeperOptions;
  readonly #stop = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #thread: HeartbeatThread;
  readonly #waiting: WaitLog;
  #session: Session;
  #isExpired = false;
  #isLedgerDown = false;
  #hasGivenUp = false;

  /** Resolves with the first session open. Rejects when the coordinator refuses this runner, or with the signal's reason. */
  static async start(options: SessionKeeperOptions, signal: AbortSignal): Promise<SessionKeeper> {
    const { connection, runnerId, hello } = options;
    const waiting = waitLog(options.log, 'a coordinator');
    const session = await openSession(connection, { runnerId, hello, waiting, signal });
    return new SessionKeeper(options, session, waiting);
  }

  private constructor(options: SessionKeeperOptions, session: Session, waiting: WaitLog) {
    this.#options = options;
    this.#waiting = waiting;
    this.#session = session;
    this.#thread = startHeartbeatThread({
      login: options.login,
      runnerId: options.runnerId,
      heartbeatMs: session.heartbeatMs,
      leaseMs: session.leaseMs,
      onReply: (answer) => this.#read(answer),
      onFailure: options.onFailure,
    });
    this.#timer = setInterval(() => this.#tick(), tickMs);
    this.#report();
  }

  /** The open session; undefined between the loss of one and the next. */
  get sessionId(): string | undefined {
    return this.#isExpired ? undefined : this.#session.sessionId;
  }

  get filesOrigin(): string | undefined {
    return this.#session.filesOrigin;
  }

  get sharesAnswers(): boolean {
    return this.#session.sharesAnswers === true;
  }

  get silentMs(): number {
    return this.#thread.silentMs();
  }

  /** Whether something new may be started. A runner that hears nothing must assume that others are taking its place. */
  get isOpen(): boolean {
    return !this.#isExpired && this.#stance === 'works';
  }

  get #stance(): Stance {
    const { leaseMs } = this.#session;
    return stanceOf({ silentMs: this.#thread.silentMs(), leaseMs, isLedgerDown: this.#isLedgerDown });
  }

  async whenOpen(signal: AbortSignal): Promise<void> {
    while (!this.isOpen) await pause(tickMs, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort(new Error('The runner ends'));
    await this.#thread[Symbol.asyncDispose]();
  }

  #report(): void {
    if (!this.#isExpired) this.#thread.report({ sessionId: this.#session.sessionId, ...this.#options.snapshot() });
  }

  #tick(): void {
    this.#report();
    if (!this.#isExpired && !this.#stop.signal.aborted) this.#tellSilence();
    const isLost = this.#stance === 'gives_up';
    if (isLost && !this.#hasGivenUp) this.#options.onLeaseLost('The coordinator has not answered for a whole lease');
    this.#hasGivenUp = isLost;
  }

  #tellSilence(): void {
    if (this.isOpen) this.#waiting.over();
    else this.#waiting.failed('no heartbeat is answered, so nothing new is started');
  }

  #read({ sessionId, reply }: { sessionId: string; reply: HeartbeatReply }): void {
    if (sessionId !== this.#session.sessionId || this.#isExpired) return;
    this.#isLedgerDown = reply.session === 'unknown';
    if (reply.session === 'expired') this.#startAnew();
    if (reply.session !== 'open') return;
    this.#options.onReply(reply);
  }

  #startAnew(): void {
    this.#isExpired = true;
    this.#options.log.warn({ sessionId: this.#session.sessionId }, 'The session has expired; what it held is given up');
    this.#options.onLeaseLost('The session has expired');
    const { connection, runnerId, hello } = this.#options;
    openSession(connection, { runnerId, hello, waiting: this.#waiting, signal: this.#stop.signal }).then(
      (session) => {
        this.#session = session;
        this.#isExpired = false;
        this.#thread.resetSilence();
        this.#report();
      },
      (error) => {
        if (!this.#stop.signal.aborted) this.#options.onFailure(error);
      },
    );
  }
}
