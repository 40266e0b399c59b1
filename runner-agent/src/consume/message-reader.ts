import type { JsMsg } from '@nats-io/jetstream';

/** Reads one message after another, with the possibility to stop waiting for the next without losing it. */
export class MessageReader {
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
      timer = setTimeout(resolve, ms, undefined);
    });
    const result = await Promise.race([this.#pending, timeout]);
    clearTimeout(timer);
    if (!result) return undefined;
    this.#pending = undefined;
    return result.done ? undefined : result.value;
  }
}
