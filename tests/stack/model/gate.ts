import { EventEmitter, once } from 'node:events';
import type { ChatRequest } from './chat-request.ts';
import { type Condition, matches } from './rules.ts';

/** Counts the calls in flight and holds back those that a test wants to catch in the middle. */
export class Gate {
  #inFlight = 0;
  #mostInFlight = 0;
  #held: Condition | undefined;
  readonly #changes = new EventEmitter().setMaxListeners(0);

  get inFlight(): number {
    return this.#inFlight;
  }

  get mostInFlight(): number {
    return this.#mostInFlight;
  }

  /** From now on calls that match get no answer until `release`. */
  hold(when: Condition = {}): void {
    this.#held = when;
  }

  release(): void {
    this.#held = undefined;
    this.#changes.emit('change');
  }

  enter(): void {
    this.#inFlight += 1;
    this.#mostInFlight = Math.max(this.#mostInFlight, this.#inFlight);
    this.#changes.emit('change');
  }

  leave(): void {
    this.#inFlight -= 1;
    this.#changes.emit('change');
  }

  /** Waits as long as the call is held back, or until its caller is gone. */
  async pass(request: ChatRequest, signal: AbortSignal): Promise<void> {
    while (this.#held !== undefined && matches(this.#held, request)) await once(this.#changes, 'change', { signal });
  }

  /** Waits until so many calls are being answered or held. */
  async whenInFlight(count: number, timeoutMs = 45_000): Promise<void> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      while (this.#inFlight < count) await once(this.#changes, 'change', { signal });
    } catch (cause) {
      throw new Error(`Waited ${timeoutMs} ms for ${count} model calls in flight, there are ${this.#inFlight}.`, {
        cause,
      });
    }
  }
}
