import { createHash } from 'node:crypto';
import type { AttemptRef, HeartbeatReply } from '@proofmark/contracts/control-messages';
import type { ResultMessage, TestRunResult } from '@proofmark/contracts/result-message';
import { PROTOCOL_VERSION } from '@proofmark/contracts/task-message';
import { pause, pauseOrStop } from '../retry/pause.ts';
import { fitResult, largestResultBytes } from './fit-result.ts';

const resultsPerMessage = 16;
const gatherMs = 5;
const retryMs = 500;
const publishAgainMs = 10_000;

export interface FinishedAttempt extends Pick<ResultMessage, 'tenantId' | 'runId' | 'sessionId'> {
  result: TestRunResult;
}

interface Entry extends Pick<ResultMessage, 'tenantId' | 'runId' | 'sessionId'>, AttemptRef {
  json: string;
  bytes: number;
  /** Null while it waits for its turn. */
  publishedAtMs: number | null;
}

export interface ResultOutboxPorts {
  /** Rejects when the broker did not take the message. */
  publish: (runId: string, payload: string, messageId: string) => Promise<void>;
  monotonicMs: () => number;
  onPublished: () => Promise<void>;
  onTrouble: (error: unknown) => void;
}

type Confirmations = Extract<HeartbeatReply, { session: 'open' }>['confirmations'];

/**
 * Results between the end of a test run and the coordinator's word that it has them. They stay in memory until then, so
 * they survive a broker that loses everything.
 */
export class ResultOutbox {
  readonly #ports: ResultOutboxPorts;
  readonly #stop = new AbortController();
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  #flushing: Promise<void> | undefined;
  #whenEmpty: (() => void)[] = [];

  constructor(ports: ResultOutboxPorts) {
    this.#ports = ports;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get unconfirmed(): AttemptRef[] {
    return [...this.#entries.values()].map(({ testRunId, attempt }) => ({ testRunId, attempt }));
  }

  add({ tenantId, runId, sessionId, result }: FinishedAttempt): void {
    const json = fitResult(result);
    const { testRunId, attempt } = result;
    const entry: Entry = {
      tenantId,
      runId,
      sessionId,
      testRunId,
      attempt,
      json,
      bytes: Buffer.byteLength(json),
      publishedAtMs: null,
    };
    this.#entries.set(keyOf(entry), entry);
    this.#bytes += entry.bytes;
    this.#flushSoon();
  }

  /** Drops what is recorded or superseded; what stays unknown for 10 s is published again. */
  confirm(confirmations: Confirmations): void {
    for (const confirmation of confirmations) {
      const entry = this.#entries.get(keyOf(confirmation));
      if (!entry) continue;
      if (confirmation.state !== 'unknown') this.#drop(entry);
      else if (entry.publishedAtMs !== null && this.#ports.monotonicMs() - entry.publishedAtMs >= publishAgainMs) {
        entry.publishedAtMs = null;
      }
    }
    this.#flushSoon();
  }

  async whenEmpty(): Promise<void> {
    if (this.#entries.size > 0) await new Promise<void>((resolve) => this.#whenEmpty.push(resolve));
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('The runner ends'));
    await this.#flushing;
  }

  #drop(entry: Entry): void {
    this.#entries.delete(keyOf(entry));
    this.#bytes -= entry.bytes;
    if (this.#entries.size > 0) return;
    for (const tell of this.#whenEmpty.splice(0)) tell();
  }

  #flushSoon(): void {
    if (this.#flushing || this.#nextBatch().length === 0) return;
    this.#flushing = this.#flush().finally(() => {
      this.#flushing = undefined;
      if (!this.#stop.signal.aborted) this.#flushSoon();
    });
  }

  async #flush(): Promise<void> {
    try {
      // Results that end at nearly the same time travel together.
      await pause(gatherMs, this.#stop.signal);
      for (let batch = this.#nextBatch(); batch.length > 0; batch = this.#nextBatch()) await this.#publish(batch);
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#ports.onTrouble(error);
      await pauseOrStop(retryMs, this.#stop.signal);
    }
  }

  /** Up to 16 waiting results of one run and session that fit into one message. */
  #nextBatch(): Entry[] {
    const batch: Entry[] = [];
    let bytes = 0;
    for (const entry of this.#entries.values()) {
      const first = batch[0] ?? entry;
      if (entry.publishedAtMs !== null || entry.runId !== first.runId || entry.sessionId !== first.sessionId) continue;
      bytes += entry.bytes;
      if (batch.length === resultsPerMessage || (batch.length > 0 && bytes > largestResultBytes)) break;
      batch.push(entry);
    }
    return batch;
  }

  async #publish(batch: readonly Entry[]): Promise<void> {
    const [first] = batch;
    if (!first) return;
    const { tenantId, runId, sessionId } = first;
    const envelope = JSON.stringify({ v: PROTOCOL_VERSION, kind: 'results', tenantId, runId, sessionId });
    const payload = `${envelope.slice(0, -1)},"results":[${batch.map(({ json }) => json).join(',')}]}`;
    const messageId = createHash('sha256').update(batch.map(keyOf).join(' ')).digest('hex');
    await this.#ports.publish(runId, payload, messageId);
    const publishedAtMs = this.#ports.monotonicMs();
    for (const entry of batch) entry.publishedAtMs = publishedAtMs;
    await this.#ports.onPublished();
  }
}

const keyOf = ({ testRunId, attempt }: AttemptRef): string => `${testRunId}:${attempt}`;
