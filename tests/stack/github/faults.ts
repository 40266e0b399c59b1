/** What goes wrong with a request, as data. */
export type Fault = {
  method?: string;
  /** Whatever changes something. */
  isWrite?: true;
  /** A part of the path, without the API prefix. */
  path?: string | RegExp;
  /** A part of the body as JSON. */
  holding?: string;
  /**
   * status: answered at once, nothing happens. drop-before: the connection breaks, nothing happens.
   * drop-after-commit: it happens, then the connection breaks before the answer. hold-before, hold-answer: it happens when
   * `until` resolves, or is answered then.
   */
  kind: 'status' | 'drop-before' | 'drop-after-commit' | 'hold-before' | 'hold-answer';
  until?: Promise<void>;
  /** Told when the request has come. */
  onCome?: () => void;
  /** So many matching requests go well before. */
  after?: number;
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** How many matching requests fail; Infinity until `clear`. */
  times?: number;
};

export class Faults {
  #queue: Fault[] = [];

  /** The next request that matches fails; several faults queue up. */
  failNext(fault: Fault): void {
    this.#queue.push({ ...fault });
  }

  clear(): void {
    this.#queue = [];
  }

  /** The fault for this request, used up by it. */
  take(method: string, path: string, body: unknown): Fault | undefined {
    const fault = this.#queue.find((each) => fits(each, method, path, body));
    if (fault === undefined) return undefined;
    if ((fault.after ?? 0) > 0) {
      fault.after = (fault.after ?? 0) - 1;
      return undefined;
    }
    fault.onCome?.();
    fault.times = (fault.times ?? 1) - 1;
    if (fault.times <= 0) this.#queue = this.#queue.filter((each) => each !== fault);
    return fault;
  }
}

function fits(fault: Fault, method: string, path: string, body: unknown): boolean {
  if (fault.method !== undefined && fault.method !== method) return false;
  if (fault.isWrite === true && method === 'GET') return false;
  if (fault.holding !== undefined && !JSON.stringify(body ?? null).includes(fault.holding)) return false;
  if (fault.path === undefined) return true;
  return typeof fault.path === 'string' ? path.includes(fault.path) : fault.path.test(path);
}
