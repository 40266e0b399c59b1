import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import { unlessAborted } from '@proofmark/process/pause';
import { type TrySignal, waitAside } from '../retry/try-scope.ts';
import type { CallResult, Embeddings, ModelPort } from './model-port.ts';

const textsPerRequest = 64;
/** Requests of one model that are under way at once; what comes meanwhile goes into the next ones together. */
const mostRequests = 4;

interface Asker {
  inputs: readonly string[];
  signal: TrySignal;
  answer: (result: CallResult<Embeddings>) => void;
  fail: (reason: unknown) => void;
  /** Its texts are in a request. */
  taken: PromiseWithResolvers<void>;
  /** Done waiting aside; only then it may go on. */
  back: Promise<void>;
  /** It waits in the queue, and aside. */
  isAside: boolean;
}

/** The asker waits aside until then: for its turn in the queue, or with its request for the turn of that. */
function putAside(asker: Asker, until: Promise<void>): void {
  const { signal } = asker;
  const waited = waitAside(signal, () => unlessAborted(until, signal));
  asker.back = Promise.all([asker.back, waited]).then(() => undefined);
  // Whoever asked hears of it by its own promise.
  asker.back.catch(() => undefined);
}

interface Batch {
  askers: readonly Asker[];
  texts: readonly string[];
}

/** The same models, with embeddings of many test runs in one request, and no text embedded twice while it is remembered. */
export function gatherEmbeddings(models: ModelPort): ModelPort {
  const gatherers = new Map<string, Gatherer>();
  return {
    chat: (settings, request, signal) => models.chat(settings, request, signal),
    embed: (settings, inputs, signal) => {
      const id = JSON.stringify([settings.base_url, settings.api_key_env, settings.model]);
      const gatherer = gatherers.get(id) ?? new Gatherer(models, settings);
      gatherers.set(id, gatherer);
      return gatherer.embed(inputs, signal);
    },
  };
}

class Gatherer {
  readonly #models: ModelPort;
  readonly #settings: ModelSettings;
  readonly #known = new KnownVectors();
  /** Texts that a request has asked for and that are not there yet: who wants them waits for that request. */
  readonly #asked = new Set<string>();
  #waiting: Asker[] = [];
  #requests = 0;
  #isDue = false;

  constructor(models: ModelPort, settings: ModelSettings) {
    this.#models = models;
    this.#settings = settings;
  }

  async embed(inputs: readonly string[], signal: TrySignal): Promise<CallResult<Embeddings>> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<CallResult<Embeddings>>();
    const taken = Promise.withResolvers<void>();
    const asker: Asker = {
      inputs,
      signal,
      answer: resolve,
      fail: reject,
      taken,
      back: Promise.resolve(),
      isAside: false,
    };
    this.#waiting.push(asker);
    this.#askSoon();
    if (!this.#isDue) this.#putRestAside();
    const result = await unlessAborted(promise, signal);
    await asker.back;
    return result;
  }

  /** At the end of this turn of the event loop, so that all that ask in it are heard. */
  #askSoon(): void {
    if (this.#isDue || this.#requests >= mostRequests) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      for (let batch = this.#nextBatch(); batch !== undefined; batch = this.#nextBatch()) void this.#ask(batch);
      this.#putRestAside();
    });
  }

  /** Who is left in the queue waits for requests of others to end. */
  #putRestAside(): void {
    for (const asker of this.#waiting.filter(({ isAside }) => !isAside)) {
      asker.isAside = true;
      putAside(asker, asker.taken.promise);
    }
  }

  async #ask({ askers, texts }: Batch): Promise<void> {
    if (texts.length === 0) return this.#answerAll(askers, null);
    this.#requests += 1;
    for (const text of texts) this.#asked.add(text);
    const stop = stopWithLast(askers);
    try {
      const result = await this.#models.embed(this.#settings, texts, stop.signal);
      if (result.ok) this.#answerAll(askers, { ...result.value, texts });
      else this.#tellAll(askers, result);
    } catch (error) {
      for (const { fail } of askers) fail(error);
    } finally {
      stop.release();
      for (const text of texts) this.#asked.delete(text);
      this.#requests -= 1;
      if (this.#waiting.length > 0) this.#askSoon();
    }
  }

  #tellAll(askers: readonly Asker[], failed: Extract<CallResult<never>, { ok: false }>): void {
    if (askers.length === 1 || failed.failure.retryable || failed.failure.isNotAsked) {
      for (const { answer } of askers) answer(failed);
      return;
    }
    // One of the texts may be what is refused: each asks for its own, and only its owner has to bear it.
    for (const asker of askers) void this.#askAlone(asker);
  }

  async #askAlone({ inputs, signal, answer, fail }: Asker): Promise<void> {
    await this.#models.embed(this.#settings, inputs, signal).then(answer, fail);
  }

  /** As many askers as fit into one request, at least one, and the texts that nobody has asked for yet; undefined when all have to wait. */
  #nextBatch(): Batch | undefined {
    if (this.#requests >= mostRequests) return undefined;
    const askers: Asker[] = [];
    const texts = new Set<string>();
    const waiting = this.#waiting.filter(({ signal }) => !signal.aborted);
    this.#waiting = [];
    for (const next of waiting) {
      const unknown = next.inputs.filter((text) => !this.#known.has(text) && !texts.has(text));
      const isTooMuch = askers.length > 0 && texts.size + unknown.length > textsPerRequest;
      if (isTooMuch || unknown.some((text) => this.#asked.has(text))) {
        this.#waiting.push(next);
        continue;
      }
      askers.push(next);
      next.taken.resolve();
      for (const text of unknown) texts.add(text);
    }
    return askers.length === 0 ? undefined : { askers, texts: [...texts] };
  }

  /** Who comes first bears the cost of the request; the others got it for nothing. */
  #answerAll(askers: readonly Asker[], asked: (Embeddings & { texts: readonly string[] }) | null): void {
    const fresh = new Map(asked?.texts.map((text, at) => [text, asked.vectors[at]]));
    for (const [text, vector] of fresh) this.#known.add(text, vector);
    for (const [position, { inputs, answer }] of askers.entries()) {
      const vectors = inputs.map((text) => fresh.get(text) ?? this.#known.get(text) ?? []);
      const isPayer = position === 0 && asked !== null;
      answer({ ok: true, value: isPayer ? { vectors, usage: asked.usage } : { vectors, usage: null, isShared: true } });
    }
  }
}

/** Aborts a shared request when the last of those that wait for it is gone; while it waits for its turn, they all do. */
function stopWithLast(askers: readonly Asker[]): { signal: TrySignal; release: () => void } {
  const controller = new AbortController();
  const check = (): void => {
    if (askers.every(({ signal }) => signal.aborted)) controller.abort(askers[0]?.signal.reason);
  };
  for (const { signal } of askers) signal.addEventListener('abort', check);
  const remainingMs = (): number =>
    Math.max(...askers.map(({ signal }) => signal.remainingMs?.() ?? Number.POSITIVE_INFINITY));
  return {
    signal: Object.assign(controller.signal, { aside: asideOf(askers), remainingMs }),
    release: () => {
      for (const { signal } of askers) signal.removeEventListener('abort', check);
    },
  };
}

const asideOf =
  (askers: readonly Asker[]) =>
  async <T>(wait: () => Promise<T>): Promise<T> => {
    const over = Promise.withResolvers<void>();
    for (const asker of askers) putAside(asker, over.promise);
    try {
      return await wait();
    } finally {
      over.resolve();
    }
  };

/** Numbers that are remembered per model, 16 MB. */
const mostNumbers = 2_000_000;

/** Vectors by text; the one that was used longest ago is forgotten first. */
class KnownVectors {
  readonly #vectors = new Map<string, number[]>();
  #numbers = 0;

  has(text: string): boolean {
    return this.#vectors.has(text);
  }

  get(text: string): number[] | undefined {
    const vector = this.#vectors.get(text);
    if (vector === undefined) return undefined;
    this.#vectors.delete(text);
    this.#vectors.set(text, vector);
    return vector;
  }

  add(text: string, vector: number[] | undefined): void {
    if (vector === undefined || this.#vectors.has(text)) return;
    this.#vectors.set(text, vector);
    this.#numbers += vector.length;
    for (const [oldest, { length }] of this.#vectors) {
      if (this.#numbers <= mostNumbers) return;
      this.#vectors.delete(oldest);
      this.#numbers -= length;
    }
  }
}
