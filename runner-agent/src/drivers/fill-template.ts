import type { JsonValue } from '@proofmark/contracts/canonical-json';

/** A value found, or the part of the path where nothing was. */
export type Found = { ok: true; value: JsonValue } | { ok: false; missing: string };

type Roots = Readonly<Record<string, JsonValue>>;

/** Inner paths nest, so their number is bounded by the length of the whole. */
const longestPath = 1_000;

/** The value at `previous.orders[args.order_id].status`: dots, list positions, quoted keys and inner paths, own keys only, no code. */
export function readPath(path: string, roots: Roots): Found {
  if (path.length > longestPath) return { ok: false, missing: `${path.slice(0, 50)}…` };
  const reader = new PathReader(path, roots);
  const found = reader.read();
  return found.ok && !reader.isDone ? { ok: false, missing: path } : found;
}

/** One step into a value; own keys only, so `constructor` is a key like any other. */
export function stepInto(value: JsonValue, key: string | number): JsonValue | undefined {
  if (Array.isArray(value)) {
    const index = typeof key === 'number' ? key : /^\d+$/.test(key) ? Number(key) : -1;
    return value[index];
  }
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.hasOwn(value, String(key)) ? value[String(key)] : undefined;
}

class PathReader {
  readonly #path: string;
  readonly #roots: Roots;
  #at = 0;

  constructor(path: string, roots: Roots) {
    this.#path = path;
    this.#roots = roots;
  }

  get isDone(): boolean {
    return this.#at === this.#path.length;
  }

  read(): Found {
    let found = this.#step(this.#roots, this.#word());
    while (found.ok && !this.isDone && this.#path[this.#at] !== ']') {
      const key = this.#key();
      if (!key.ok) return key;
      found = this.#step(found.value, typeof key.value === 'string' ? key.value : JSON.stringify(key.value));
    }
    return found;
  }

  #step(value: JsonValue, key: string): Found {
    const next = key === '' ? undefined : stepInto(value, key);
    return next === undefined
      ? { ok: false, missing: this.#path.slice(0, this.#at) || this.#path }
      : { ok: true, value: next };
  }

  #key(): Found {
    const opener = this.#path[this.#at];
    this.#at += 1;
    if (opener === '.') return { ok: true, value: this.#word() };
    if (opener !== '[') return { ok: false, missing: this.#path };
    const inner = this.#bracket();
    if (this.#path[this.#at] !== ']') return { ok: false, missing: this.#path };
    this.#at += 1;
    return inner;
  }

  #bracket(): Found {
    const rest = this.#path.slice(this.#at);
    const literal = /^(?:\d+|"[^"]*"|'[^']*')/.exec(rest)?.[0];
    if (literal === undefined) return this.read();
    this.#at += literal.length;
    return { ok: true, value: /^\d/.test(literal) ? literal : literal.slice(1, -1) };
  }

  #word(): string {
    const word = /^[^.[\]]*/.exec(this.#path.slice(this.#at))?.[0] ?? '';
    this.#at += word.length;
    return word;
  }
}

/** What paths begin with: `args`, `state`, `previous`, `variables` and `call` for mocks. */
export type TemplateRoots = Readonly<Record<string, JsonValue>>;

/**
 * The value with every `{$from: path}` replaced by what is there, type kept, and every `{$concat: [...]}` by text.
 * A path that leads nowhere is the mock's fault, so it is reported and never becomes null.
 */
export function fillTemplate(template: JsonValue, roots: TemplateRoots): Found {
  if (Array.isArray(template)) return fillList(template, roots);
  if (typeof template !== 'object' || template === null) return { ok: true, value: template };
  const keys = Object.keys(template);
  const { $from, $concat } = template;
  if (keys.length === 1 && typeof $from === 'string') return readPath($from, roots);
  if (keys.length === 1 && Array.isArray($concat)) return concat($concat, roots);
  const filled = fillList(Object.values(template), roots);
  if (!filled.ok || !Array.isArray(filled.value)) return filled;
  const values = filled.value;
  return { ok: true, value: Object.fromEntries(keys.map((key, index) => [key, values[index] ?? null])) };
}

function fillList(parts: readonly JsonValue[], roots: TemplateRoots): Found {
  const values: JsonValue[] = [];
  for (const part of parts) {
    const filled = fillTemplate(part, roots);
    if (!filled.ok) return filled;
    values.push(filled.value);
  }
  return { ok: true, value: values };
}

function concat(parts: readonly JsonValue[], roots: TemplateRoots): Found {
  const filled = fillList(parts, roots);
  if (!filled.ok || !Array.isArray(filled.value)) return filled;
  return {
    ok: true,
    value: filled.value.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(''),
  };
}
