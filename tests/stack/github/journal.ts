import { EventEmitter, once } from 'node:events';
import type { Caller } from './callers.ts';

export type JournalEntry = {
  atMs: number;
  method: string;
  path: string;
  query: string;
  caller: Caller['kind'];
  body: unknown;
  /** 0 when the connection was dropped before the answer. */
  status: number;
};

/** Every request that came, oldest first, with its answer. */
export class Journal {
  readonly entries: JournalEntry[] = [];
  readonly #added = new EventEmitter().setMaxListeners(0);

  add(entry: JournalEntry): void {
    this.entries.push(entry);
    this.#added.emit('entry');
  }

  /** What the product wrote: no reads, no token requests, nothing that a test did as a user. */
  writes(): JournalEntry[] {
    return this.entries.filter(({ method, path, caller }) => {
      if (method === 'GET' || caller === 'user' || caller === 'app') return false;
      return !path.startsWith('/_services/');
    });
  }

  /** The first entry that matches, those of the past included. */
  async waitFor(matches: (entry: JournalEntry) => boolean, timeoutMs = 15_000): Promise<JournalEntry> {
    const signal = AbortSignal.timeout(timeoutMs);
    for (;;) {
      const found = this.entries.find(matches);
      if (found !== undefined) return found;
      try {
        await once(this.#added, 'entry', { signal });
      } catch (cause) {
        const seen = this.entries.slice(-20).map(({ method, path, status }) => `${method} ${path} ${status}`);
        throw new Error(`No such request within ${timeoutMs} ms. The last ones:\n${seen.join('\n')}`, { cause });
      }
    }
  }
}
