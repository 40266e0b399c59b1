import { createHash } from 'node:crypto';
import type { ChunkRef, HeartbeatReply, PlacesRef } from '@proofmark/contracts/control-messages';
import { type ResultMessage, TestRunResult } from '@proofmark/contracts/result-message';
import { LARGEST_CHUNK, PROTOCOL_VERSION } from '@proofmark/contracts/task-message';
import { fitResult } from '@proofmark/domain/fit-result';
import { doubledPauseMs } from '@proofmark/domain/retry-policy';
import { pauseOrStop } from '@proofmark/process/pause';
import { type PlaceRef, placesOf } from './held-attempts.ts';

const resultsPerMessage = LARGEST_CHUNK;
/** Results share a message up to here, so that no single one fills it for long. */
const largestBatchBytes = 512 * 1024;
/** What a message needs beside its results. */
const envelopeBytes = 1024;
const gatherMs = 40;
const retryMs = 500;
const longestRetryMs = 4_000;
const publishAgainMs = 10_000;

export interface FinishedAttempt extends Pick<ResultMessage, 'tenantId' | 'runId' | 'sessionId'> {
  result: TestRunResult;
}

interface Entry extends Pick<ResultMessage, 'runId' | 'sessionId'>, PlaceRef {
  /** JSON as bytes: they wait for seconds, and the collector of garbage would carry texts from place to place meanwhile. */
  body: Buffer;
  /** Null while it waits for its turn. */
  publishedAtMs: number | null;
  /** How often a message that held it was not taken; from the first time on it travels alone, behind all others. */
  failures: number;
  /** It failed a moment ago. */
  rests: boolean;
}

export interface ResultOutboxPorts {
  /** `too_large`: the broker takes no message of this size. Rejects when it did not take the message for another reason. */
  publish: (runId: string, payload: Uint8Array, messageId: string) => Promise<'taken' | 'too_large'>;
  /** The largest message that the broker takes. */
  maxPayload: () => number;
  monotonicMs: () => number;
  onPublished: () => Promise<void>;
  onTrouble: (error: unknown) => void;
}

type Confirmations = Extract<HeartbeatReply, { session: 'open' }>['confirmations'];

/**
 * Results between the end of a test run and the coordinator's word that it has them. They stay in memory until then, so
 * they survive a broker that loses everything. One that the broker does not take never stands in the way of another.
 */
export class ResultOutbox {
  readonly #ports: ResultOutboxPorts;
  readonly #stop = new AbortController();
  /** By chunk and attempt, which are confirmed together, and by their places in it. */
  readonly #chunks = new Map<string, Map<number, Entry>>();
  #size = 0;
  /** Those of them that wait to be published for the first time; looking through all would cost more with each result. */
  readonly #fresh = new Set<Entry>();
  /** Those that were not taken when they were published last. */
  readonly #failed = new Set<Entry>();
  #bytes = 0;
  #flushing: Promise<void> | undefined;
  #whenEmpty: (() => void)[] = [];

  constructor(ports: ResultOutboxPorts) {
    this.#ports = ports;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** How many results nobody has confirmed yet. */
  get size(): number {
    return this.#size;
  }

  get unconfirmed(): PlacesRef[] {
    return [...this.#chunks.values()].flatMap((chunk) => placesOf([...chunk.values()]));
  }

  add({ tenantId, runId, sessionId, result }: FinishedAttempt): void {
    const body = Buffer.from(fitResult(result, this.#mostBytes));
    const { chunkId, at, attempt } = result;
    const entry: Entry = {
      tenantId,
      runId,
      sessionId,
      chunkId,
      at,
      attempt,
      body,
      publishedAtMs: null,
      failures: 0,
      rests: false,
    };
    this.#keep(entry);
    this.#fresh.add(entry);
    this.#bytes += body.length;
    this.#flushSoon();
  }

  /** Drops what is recorded or superseded; what stays unknown for 10 s is published again. */
  confirm(confirmations: Confirmations): void {
    for (const confirmed of confirmations) {
      const chunk = this.#chunks.get(chunkOf(confirmed));
      if (chunk === undefined) continue;
      for (const at of confirmed.recorded) this.#drop(chunk.get(at));
      for (const at of confirmed.superseded) this.#drop(chunk.get(at));
      for (const entry of chunk.values()) this.#publishAgain(entry);
    }
    this.#flushSoon();
  }

  async whenEmpty(): Promise<void> {
    if (this.#size > 0) await new Promise<void>((resolve) => this.#whenEmpty.push(resolve));
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('The runner ends'));
    await this.#flushing;
  }

  #publishAgain(entry: Entry): void {
    if (entry.publishedAtMs === null) return;
    if (this.#ports.monotonicMs() - entry.publishedAtMs < publishAgainMs) return;
    entry.publishedAtMs = null;
    (entry.failures > 0 ? this.#failed : this.#fresh).add(entry);
  }

  #keep(entry: Entry): void {
    const id = chunkOf(entry);
    this.#drop(this.#chunks.get(id)?.get(entry.at));
    const chunk = this.#chunks.get(id) ?? new Map<number, Entry>();
    this.#chunks.set(id, chunk.set(entry.at, entry));
    this.#size += 1;
  }

  #holds(entry: Entry): boolean {
    return this.#chunks.get(chunkOf(entry))?.get(entry.at) === entry;
  }

  #drop(entry: Entry | undefined): void {
    if (!entry) return;
    const id = chunkOf(entry);
    const chunk = this.#chunks.get(id);
    chunk?.delete(entry.at);
    if (chunk?.size === 0) this.#chunks.delete(id);
    this.#size -= 1;
    this.#fresh.delete(entry);
    this.#failed.delete(entry);
    this.#bytes -= entry.body.length;
    if (this.#size > 0) return;
    for (const tell of this.#whenEmpty.splice(0)) tell();
  }

  #flushSoon(): void {
    if (this.#flushing || (this.#fresh.size === 0 && this.#leastFailed().length === 0)) return;
    this.#flushing = this.#flush().finally(() => {
      this.#flushing = undefined;
      if (!this.#stop.signal.aborted) this.#flushSoon();
    });
  }

  async #flush(): Promise<void> {
    const { signal } = this.#stop;
    // Results that end at nearly the same time travel together.
    await pauseOrStop(gatherMs, signal);
    for (let batch = this.#nextBatch(); batch.length > 0 && !signal.aborted; batch = this.#nextBatch()) {
      try {
        await this.#publish(batch);
      } catch (error) {
        if (signal.aborted) return;
        this.#ports.onTrouble(error);
        this.#rest(batch);
        await pauseOrStop(retryMs, signal);
      }
    }
  }

  get #mostBytes(): number {
    return Math.min(largestBatchBytes, this.#ports.maxPayload() - envelopeBytes);
  }

  #nextBatch(): Entry[] {
    const fresh = this.#freshBatch();
    return fresh.length > 0 ? fresh : this.#leastFailed();
  }

  /** Up to 64 waiting results of one run and session that fit into one message. */
  #freshBatch(): Entry[] {
    const batch: Entry[] = [];
    let bytes = 0;
    for (const entry of this.#fresh) {
      const first = batch[0] ?? entry;
      if (entry.runId !== first.runId || entry.sessionId !== first.sessionId) continue;
      bytes += entry.body.length;
      if (batch.length === resultsPerMessage || (batch.length > 0 && bytes > this.#mostBytes)) break;
      batch.push(entry);
    }
    return batch;
  }

  /** One that failed before waits for all others. */
  #leastFailed(): Entry[] {
    let least: Entry | undefined;
    for (const entry of this.#failed) {
      if (entry.rests) continue;
      if (least === undefined || entry.failures < least.failures) least = entry;
    }
    return least ? [least] : [];
  }

  /** Each of them is tried again later and alone, the later the more often it has failed. */
  #rest(batch: readonly Entry[]): void {
    this.#noteFailure(batch);
    for (const entry of batch) {
      entry.rests = true;
      const ms = doubledPauseMs(retryMs, entry.failures - 1, longestRetryMs);
      void pauseOrStop(ms, this.#stop.signal).then(() => {
        entry.rests = false;
        if (!this.#stop.signal.aborted) this.#flushSoon();
      });
    }
  }

  /** What the broker takes in no message goes on alone, and alone in half its size. */
  #shrink(batch: readonly Entry[]): void {
    const [first] = batch;
    if (first && batch.length === 1 && this.#holds(first)) {
      const result = TestRunResult.parse(JSON.parse(first.body.toString()));
      const body = Buffer.from(fitResult(result, Math.floor(first.body.length / 2)));
      if (body.length >= first.body.length) throw new Error(`The broker takes no message of ${body.length} bytes`);
      this.#bytes += body.length - first.body.length;
      first.body = body;
    }
    this.#noteFailure(batch);
  }

  #noteFailure(batch: readonly Entry[]): void {
    for (const entry of batch) {
      entry.failures += 1;
      this.#fresh.delete(entry);
      // One that was dropped meanwhile, because it is recorded, waits for nothing.
      if (this.#holds(entry)) this.#failed.add(entry);
    }
  }

  async #publish(batch: readonly Entry[]): Promise<void> {
    const [first] = batch;
    if (!first) return;
    const { tenantId, runId, sessionId } = first;
    const envelope = JSON.stringify({ v: PROTOCOL_VERSION, kind: 'results', tenantId, runId, sessionId });
    const bodies = batch.flatMap(({ body }, index) => (index === 0 ? [body] : [comma, body]));
    const payload = Buffer.concat([Buffer.from(`${envelope.slice(0, -1)},"results":[`), ...bodies, Buffer.from(']}')]);
    const messageId = createHash('sha256')
      .update(batch.map(({ chunkId, at, attempt }) => `${chunkId}:${at}:${attempt}`).join(' '))
      .digest('hex');
    if ((await this.#ports.publish(runId, payload, messageId)) === 'too_large') {
      this.#shrink(batch);
      return;
    }
    const publishedAtMs = this.#ports.monotonicMs();
    for (const entry of batch) {
      entry.publishedAtMs = publishedAtMs;
      this.#fresh.delete(entry);
      this.#failed.delete(entry);
    }
    await this.#ports.onPublished();
  }
}

const comma = Buffer.from(',');

const chunkOf = ({ chunkId, attempt }: ChunkRef): string => `${chunkId}:${attempt}`;
