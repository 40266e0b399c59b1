import type { ResultStatus } from '@proofmark/domain/suite-run';
import type { Delivered } from './memory-broker.ts';
import type { BeatAnswer, IncomingResult, StoredChunk, TaskRef } from './stored.ts';
import {
  between,
  type Call,
  chance,
  every,
  isConnected,
  later,
  mayDie,
  type Node,
  pick,
  publish,
  send,
  times,
  type World,
} from './world.ts';

interface Held {
  runId: string;
  testRunId: string;
  chunkId: string;
  at: number;
  attempt: number;
  sessionId: string;
  hasBegun: boolean;
}

interface Unconfirmed {
  result: IncomingResult;
  /** Null while it waits for its turn. */
  publishedMs: number | null;
}

const slots = 2;
const pullMs = 700;
const publishAgainMs = 10_000;
const statuses: readonly ResultStatus[] = ['passed', 'failed', 'error'];

/** A runner in this world: one life of its process. */
export class Runner {
  readonly #world: World;
  readonly #node: Node;
  readonly #deadly: ReadonlySet<string>;
  readonly #held = new Map<string, Held>();
  readonly #outbox = new Map<string, Unconfirmed>();
  #sessionId: string | undefined;
  #answeredMs = 0;
  #isLedgerDown = false;
  #heardMs = 0;
  #unheardMs = 0;
  #running = 0;
  #isDraining = false;

  constructor(world: World, node: Node, deadly: ReadonlySet<string>) {
    this.#world = world;
    this.#node = node;
    this.#deadly = deadly;
    node.isUp = true;
    node.life++;
    this.#hello();
    every(world, node, times.heartbeatMs, () => this.#beat());
    every(world, node, pullMs, () => this.#pull());
    every(world, node, 500, () => this.#publish());
  }

  /** Ends in good order: gives back what has not begun, lets the rest end for a while, waits for its results to be confirmed. */
  drain(): void {
    this.#isDraining = true;
    this.#giveBack([...this.#held.values()].filter(({ hasBegun }) => !hasBegun));
    later(this.#world, this.#node, 3000, () => {
      this.#giveBack([...this.#held.values()]);
      later(this.#world, this.#node, 5000, () => {
        this.#call('release', { sessionId: this.#sessionId, given: [], closing: true }, () => undefined);
        later(this.#world, this.#node, 100, () => this.#world.die(this.#node));
      });
    });
  }

  /** Told that a run is over. */
  heed(runId: string): void {
    for (const [key, held] of this.#held) if (held.runId === runId) this.#drop(key);
  }

  /** Sends results of test runs that it does not have, in a session of its own. */
  forge(): void {
    const { ledger } = this.#world;
    const chunk = pick(this.#world, [...ledger.chunks.values()]);
    const sessionId = chance(this.#world, 0.5) ? this.#sessionId : chunk?.sessionId;
    if (chunk === undefined || sessionId === undefined || sessionId === null) return;
    // What a runner says of attempts that it did hold is believed.
    if (ledger.sessions.get(chunk.holders[chunk.attempt - 1] ?? '')?.runnerId === this.#node.name) return;
    const at = Math.floor(this.#world.random() * chunk.members.length);
    const result: IncomingResult = {
      ...{ from: this.#node.name, chunkId: chunk.id, at, attempt: chunk.attempt, sessionId },
      ...{ status: 'passed', execution: 'forged' },
    };
    const store = () => this.#world.broker.results.add(this.#world.newId('forged'), [result], this.#world.clock.nowMs);
    publish(this.#world, this.#node, store, nothing, nothing);
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  get #silence() {
    const silentMs = this.#world.clock.nowMs - this.#answeredMs;
    return { silentMs, leaseMs: times.leaseMs, isLedgerDown: this.#isLedgerDown };
  }

  get #stance() {
    return this.#world.rules.stanceOf(this.#silence);
  }

  #call(
    kind: Call['kind'],
    request: unknown,
    heed: (answer: unknown) => void,
    timeoutMs: number = times.replyMs,
  ): void {
    const world = this.#world;
    const connected = world.coordinators.filter((node) => node.isUp && isConnected(world, node));
    const to = pick(world, connected);
    const untilMs = world.clock.nowMs + timeoutMs;
    if (to === undefined) return;
    send(world, this.#node, to, () => {
      const reply = (answer: unknown) =>
        send(world, to, this.#node, () => {
          if (world.clock.nowMs <= untilMs) heed(answer);
        });
      world.calls.get(to)?.({ kind, runnerId: this.#node.name, request, reply });
    });
  }

  #hello(): void {
    if (this.#sessionId !== undefined) return;
    const heed = (answer: unknown) => {
      if (this.#sessionId !== undefined) return;
      this.#sessionId = String(answer);
      this.#answeredMs = this.#world.clock.nowMs;
      this.#heardMs = this.#answeredMs;
      this.#unheardMs = 0;
    };
    this.#call('hello', {}, heed, 2000);
    later(this.#world, this.#node, 2500, () => this.#hello());
  }

  #beat(): void {
    if (this.#stance === 'gives_up') this.#dropAll();
    const sessionId = this.#sessionId;
    if (sessionId === undefined) return;
    const held = [...this.#held.values()];
    const results = [...this.#outbox.values()].map(({ result }) => result);
    const request = {
      sessionId,
      held: uniqueChunks([...held, ...results]),
      waiting: held
        .filter(({ hasBegun }) => !hasBegun)
        .map(({ chunkId, attempt, at }) => ({ chunkId, attempt, at: [at] })),
      unconfirmed: results.map(({ chunkId, attempt, at }) => ({ chunkId, attempt, at: [at] })),
    };
    const heed = (answer: unknown) => {
      if (sessionId === this.#sessionId) this.#heedBeat(answer as BeatAnswer | 'ledger down');
    };
    this.#call('heartbeat', request, heed, times.heartbeatMs);
  }

  #heedBeat(answer: BeatAnswer | 'ledger down'): void {
    const { nowMs } = this.#world.clock;
    if (nowMs - this.#heardMs > times.leaseMs / 5)
      this.#world.tell(`${this.#node.name} hears again: ${answer === 'ledger down' ? answer : answer.session}`);
    this.#unheardMs = answer === 'ledger down' ? Math.max(this.#unheardMs, nowMs - this.#heardMs) : 0;
    this.#heardMs = nowMs;
    this.#isLedgerDown = answer === 'ledger down';
    if (this.#world.rules.endsSilence(this.#silence)) this.#answeredMs = this.#world.clock.nowMs;
    if (answer === 'ledger down') return;
    if (answer.session === 'expired') {
      this.#sessionId = undefined;
      this.#dropAll();
      this.#hello();
      return;
    }
    for (const { chunkId, attempt, recorded, superseded } of answer.confirmations)
      for (const at of [...recorded, ...superseded]) this.#outbox.delete(`${chunkId}:${at}:${attempt}`);
    this.#publishAgain();
    for (const ref of answer.abandoned) this.#dropChunk(ref);
  }

  #publishAgain(): void {
    const beforeMs = this.#world.clock.nowMs - publishAgainMs;
    for (const entry of this.#outbox.values())
      if (entry.publishedMs !== null && entry.publishedMs < beforeMs) entry.publishedMs = null;
  }

  #dropChunk({ chunkId, attempt }: { chunkId: string; attempt: number }): void {
    for (const [key, held] of this.#held) if (held.chunkId === chunkId && held.attempt === attempt) this.#drop(key);
  }

  #pull(): void {
    this.#beginNext();
    const { broker, clock } = this.#world;
    const isOpen = this.#sessionId !== undefined && this.#stance === 'works' && !this.#isDraining;
    if (!isOpen || !isConnected(this.#world, this.#node) || this.#running >= slots) return;
    const offered = broker.work.take(2, clock.nowMs);
    if (offered.length > 0) this.#claim(offered, this.#world.newId('claim'), 3);
  }

  /** The same claim id again: if the first answer was lost on its way, this one is the same. */
  #claim(offered: readonly Delivered<TaskRef>[], claimId: string, tries: number): void {
    const sessionId = this.#sessionId;
    let isAnswered = false;
    const heed = (answer: unknown) => {
      if (isAnswered) return;
      isAnswered = true;
      if (sessionId === this.#sessionId) this.#take(offered, answer as StoredChunk[]);
      else handBack(offered);
    };
    this.#call('claim', { sessionId, claimId, chunks: offered.map(({ body }) => body.id) }, heed);
    later(this.#world, this.#node, times.replyMs, () => {
      if (isAnswered) return;
      isAnswered = true;
      if (tries > 1 && sessionId === this.#sessionId) this.#claim(offered, claimId, tries - 1);
      else handBack(offered);
    });
  }

  #take(offered: readonly Delivered<TaskRef>[], chunks: readonly StoredChunk[]): void {
    this.#hold(chunks, this.#sessionId ?? '');
    if (mayDie(this.#world, this.#node) || !isConnected(this.#world, this.#node)) return;
    for (const message of offered) message.ack();
  }

  #hold(chunks: readonly StoredChunk[], sessionId: string): void {
    for (const chunk of chunks) {
      for (const [at, testRunId] of chunk.members.entries()) {
        const { id: chunkId, runId, attempt } = chunk;
        const held: Held = { runId, testRunId, chunkId, at, attempt, sessionId, hasBegun: false };
        this.#held.set(keyOf(held), held);
      }
    }
    this.#beginNext();
    later(this.#world, this.#node, 4000, () => this.#giveBackWaiting(chunks));
  }

  #giveBackWaiting(chunks: readonly StoredChunk[]): void {
    const isOfThem = ({ chunkId, hasBegun }: Held) => !hasBegun && chunks.some(({ id }) => id === chunkId);
    if (chance(this.#world, 0.3)) this.#giveBack([...this.#held.values()].filter(isOfThem));
  }

  #giveBack(all: readonly Held[]): void {
    for (const held of all) this.#drop(keyOf(held));
    const given = all.map(({ chunkId, attempt, at }) => ({ chunkId, attempt, at: [at] }));
    if (given.length > 0) this.#call('release', { sessionId: this.#sessionId, given, closing: false }, nothing);
  }

  #beginNext(): void {
    if (this.#running >= slots || this.#stance !== 'works' || this.#sessionId === undefined) return;
    for (const held of this.#held.values()) {
      if (held.hasBegun) continue;
      this.#begin(held);
      this.#beginNext();
      return;
    }
  }

  #begin(held: Held): void {
    held.hasBegun = true;
    this.#running++;
    this.#world.tell(`${this.#node.name} begins ${held.testRunId} in ${held.sessionId}`);
    const unheardMs = Math.max(this.#unheardMs, this.#world.clock.nowMs - this.#heardMs);
    this.#world.invariants.begins({ ...held, unheardMs });
    const lastsMs = between(this.#world, 100, 9000);
    later(this.#world, this.#node, lastsMs, () => {
      this.#running--;
      this.#end(held);
      this.#beginNext();
    });
  }

  #end(held: Held): void {
    const key = keyOf(held);
    if (this.#held.get(key) !== held) return;
    if (this.#deadly.has(held.testRunId)) {
      this.#world.die(this.#node);
      return;
    }
    this.#held.delete(key);
    const { testRunId, chunkId, at, attempt, sessionId } = held;
    const status = pick(this.#world, statuses) ?? 'passed';
    const execution = `${testRunId}:${attempt}:${sessionId}`;
    const result = { from: this.#node.name, chunkId, at, attempt, sessionId, status, execution };
    this.#outbox.set(key, { result, publishedMs: null });
    mayDie(this.#world, this.#node);
  }

  #publish(): void {
    const batch = [...this.#outbox.values()].filter(({ publishedMs }) => publishedMs === null).slice(0, 4);
    if (batch.length === 0) return;
    const { clock, broker } = this.#world;
    for (const entry of batch) entry.publishedMs = clock.nowMs;
    const results = batch.map(({ result }) => result);
    const store = () => broker.results.add(results.map(({ execution }) => execution).join(' '), results, clock.nowMs);
    const failed = () => {
      for (const entry of batch) entry.publishedMs = null;
    };
    publish(this.#world, this.#node, store, () => void mayDie(this.#world, this.#node), failed);
  }

  #dropAll(): void {
    for (const key of [...this.#held.keys()]) this.#drop(key);
  }

  /** Given up: what it yields counts for nobody. */
  #drop(key: string): void {
    this.#held.delete(key);
  }
}

const nothing = () => undefined;

function handBack(offered: readonly Delivered<TaskRef>[]): void {
  for (const message of offered) message.nak(2000);
}

const keyOf = ({ chunkId, at, attempt }: Pick<Held, 'chunkId' | 'at' | 'attempt'>): string =>
  `${chunkId}:${at}:${attempt}`;

function uniqueChunks(refs: readonly { chunkId: string; attempt: number }[]): { chunkId: string; attempt: number }[] {
  return [...new Map(refs.map(({ chunkId, attempt }) => [`${chunkId}:${attempt}`, { chunkId, attempt }])).values()];
}
