import type { Consumer, ConsumerMessages, JetStreamClient, JsMsg } from '@nats-io/jetstream';
import { WORK_CONSUMER, workStream } from '@proofmark/contracts/subjects';
import { pauseOrStop } from '@proofmark/process/pause';
import type { Logger } from 'pino';
import { type FairSlots, SlotOutlook, type WaitingRoom } from '../slots/fair-slots.ts';
import type { OfferedChunk } from './claim-tasks.ts';

/** How long the broker keeps a question for work that it has none for. */
const askMs = 5_000;
/** About so long after a question its chunks begin: slots that are free by then are asked for with it. */
const aheadMs = 20;
/** Chunks of one question. */
const mostChunks = 8;
/** What comes within so long is claimed together; a runner with nothing to do claims at once. */
const gatherMs = 2;
/** A message that finds no slot in this time goes back: another runner may be idle. */
const slotPatienceMs = 1_000;
/** A run whose cases all wait for a model is offered again after so long, and so is what comes while nothing may be claimed. */
const laterMs = 500;
/** What was taken before has begun after about so long; meanwhile another runner may take more. */
const soonMs = 50;
const reopenMs = 500;

export interface ConsumePoolOptions {
  js: JetStreamClient;
  pool: string;
  slots: FairSlots;
  /** Says whether more of a run may be begun, when cases of it wait. */
  room: WaitingRoom;
  /** Resolves when new chunks may be claimed. */
  whenOpen: (signal: AbortSignal) => Promise<void>;
  /** Whether they may be claimed now: what was asked for before may come when they may no more. */
  isOpen: () => boolean;
  read: (message: JsMsg) => OfferedChunk | undefined;
  /** Claims the chunks and begins them; resolves when they have begun, or wait for room of their run. Never rejects. */
  take: (batch: readonly OfferedChunk[]) => Promise<void>;
  log: Logger;
  signal: AbortSignal;
}

/** Takes work from the pool while there is a slot for it, until the signal is aborted. A consumer that is not there is asked for again. */
export async function consumePool(options: ConsumePoolOptions): Promise<void> {
  const { js, pool, signal, log } = options;
  while (!signal.aborted) {
    try {
      const consumer = await js.consumers.get(workStream(pool), WORK_CONSUMER);
      await takeFrom(consumer, options);
    } catch (error) {
      if (!signal.aborted) log.debug({ error }, 'Work cannot be read at the moment');
    }
    await pauseOrStop(reopenMs, signal);
  }
}

async function takeFrom(consumer: Consumer, options: ConsumePoolOptions): Promise<void> {
  const { slots, whenOpen, signal } = options;
  const state = { typical: 1, soonFree: 0, taking: Promise.resolve() };
  const outlook = new SlotOutlook(slots, () => performance.now());
  const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  while (!signal.aborted) {
    // What was claimed before has begun or waits aside before more is asked for: no chunk lies here while another runner is idle.
    await Promise.race([state.taking, ended]);
    await whenOpen(signal);
    (await slots.acquire(signal)).release();
    state.soonFree = outlook.freeIn(aheadMs);
    const chunks = Math.max(1, Math.min(mostChunks, Math.floor((slots.free + state.soonFree) / state.typical)));
    const messages = await consumer.fetch({ max_messages: chunks, expires: askMs });
    await readAll(messages, state, options);
  }
}

interface Taking {
  /** The size of the last chunk. */
  typical: number;
  /** Slots that are taken while it is asked, and free when what is asked for begins. */
  soonFree: number;
  taking: Promise<void>;
}

async function readAll(messages: ConsumerMessages, state: Taking, options: ConsumePoolOptions): Promise<void> {
  const close = (): void => void messages.close();
  options.signal.addEventListener('abort', close, { once: true });
  try {
    const reader = new MessageReader(messages);
    for (let first = await reader.next(); first; first = await reader.next()) {
      const batch = await gather(first, { reader, soonFree: state.soonFree }, options);
      if (batch === undefined) continue;
      state.typical = sizeOf(batch.chunks.at(-1)) || 1;
      state.taking = Promise.all([state.taking, begin(batch, options)]).then(() => undefined);
    }
  } finally {
    options.signal.removeEventListener('abort', close);
    await messages.close();
  }
}

interface Batch {
  chunks: OfferedChunk[];
  /** Disposed when they have begun. */
  coming: DisposableStack;
}

async function begin({ chunks, coming }: Batch, { take }: ConsumePoolOptions): Promise<void> {
  using _until = coming;
  await take(chunks);
}

/** Chunks that there is a slot for, as many as are there and fit. */
async function gather(
  first: JsMsg,
  { reader, soonFree }: { reader: MessageReader; soonFree: number },
  options: ConsumePoolOptions,
): Promise<Batch | undefined> {
  const { slots, signal, isOpen } = options;
  if (!isOpen()) {
    first.nak(laterMs);
    return undefined;
  }
  if (signal.aborted || !(await hasSlot(options))) {
    first.nak();
    return undefined;
  }
  // Nothing is expected any more where the reading fails: the broker offers its messages again.
  using coming = new DisposableStack();
  const chunks: OfferedChunk[] = [];
  const until = performance.now() + (slots.free === slots.total ? 0 : gatherMs);
  for (let message: JsMsg | undefined = first; message; ) {
    const chunk = offered(message, options);
    if (chunk) {
      coming.use(options.room.expect(chunk.task.runId, sizeOf(chunk)));
      chunks.push(chunk);
    }
    const isFull = chunks.reduce((sum, one) => sum + sizeOf(one), 0) >= slots.free + soonFree;
    message = isFull ? undefined : await reader.nextWithin(Math.max(0, until - performance.now()));
  }
  return chunks.length === 0 ? undefined : { chunks, coming: coming.move() };
}

async function hasSlot({ slots, signal }: ConsumePoolOptions): Promise<boolean> {
  try {
    const slot = await slots.acquireWithin(slotPatienceMs, signal);
    slot?.release();
    return slot !== undefined;
  } catch {
    return false; // The runner ends.
  }
}

function offered(message: JsMsg, { read, room }: ConsumePoolOptions): OfferedChunk | undefined {
  const chunk = read(message);
  if (chunk === undefined) return undefined;
  const when = room.whenToTake(chunk.task.runId);
  if (when === 'now') return chunk;
  message.nak(when === 'soon' ? soonMs : laterMs);
  return undefined;
}

const sizeOf = (chunk: OfferedChunk | undefined): number => chunk?.task.turns.length ?? 0;

/** Reads one message after another, with the possibility to stop waiting for the next without losing it. */
class MessageReader {
  readonly #iterator: AsyncIterator<JsMsg>;
  #pending: Promise<IteratorResult<JsMsg>> | undefined;

  constructor(messages: AsyncIterable<JsMsg>) {
    this.#iterator = messages[Symbol.asyncIterator]();
  }

  /** The next message; undefined when there will be none. */
  async next(): Promise<JsMsg | undefined> {
    this.#pending ??= this.#iterator.next();
    const result = await this.#pending;
    this.#pending = undefined;
    return result.done ? undefined : result.value;
  }

  /** The next message if it comes within `ms`, else undefined; then it is the next one of a later call. */
  async nextWithin(ms: number): Promise<JsMsg | undefined> {
    this.#pending ??= this.#iterator.next();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<undefined>((resolve) => {
      // No timer is over in less than a millisecond.
      if (ms > 0) timer = setTimeout(resolve, ms, undefined);
      else setImmediate(resolve, undefined);
    });
    const result = await Promise.race([this.#pending, timeout]);
    clearTimeout(timer);
    if (!result) return undefined;
    this.#pending = undefined;
    return result.done ? undefined : result.value;
  }
}
