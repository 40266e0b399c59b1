import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { Finding, Path, PathSegment } from './finding.ts';
import { snakeCase } from './schema-plan.ts';
import { scalarProblem } from './source-text.ts';

const MAX_DEPTH = 64;
const MAX_ALIASES = 100;
const MAX_ALIAS_NODES = 20_000;

const coreTags = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
);

/** Reports a finding, always undefined. `relatedOffset` is the other place that the finding is about. */
export type Refuse = (offset: number, finding: Finding, relatedOffset?: number) => undefined;
type Target = Record<string, unknown> | unknown[];

interface Frame {
  node: YAMLMap | YAMLSeq;
  target: Target;
  /** The child being read: the segments of all frames are the path. */
  segment: PathSegment | undefined;
  next: number;
  keys: Map<string, number>;
  insideAlias: boolean;
}

interface Tree {
  value: Record<string, unknown>;
  /** What each alias stands for, to find its lines again. */
  aliases: ReadonlyMap<Alias, Node>;
}

/**
 * Turns a node tree into plain data without recursion, checking on the way what the YAML reader does not: depth,
 * aliases, tags, merge keys, duplicate keys, numbers, control characters. Undefined when anything was refused.
 */
export function readTree(root: YAMLMap, refuse: Refuse): Tree | undefined {
  return new TreeWalk(refuse).run(root);
}

class TreeWalk {
  readonly #refuse: Refuse;
  readonly #frames: Frame[] = [];
  readonly #open = new Set<Node>();
  readonly #anchors = new Map<string, Node>();
  readonly #aliases = new Map<Alias, Node>();
  #aliasNodes = 0;
  #refusals = 0;

  constructor(refuse: Refuse) {
    this.#refuse = refuse;
  }

  run(root: YAMLMap): Tree | undefined {
    const value: Record<string, unknown> = {};
    this.#checkNode(root);
    this.#enter(root, value, false);
    for (let frame = this.#frames.at(-1); frame !== undefined && this.#refusals < 50; frame = this.#frames.at(-1)) {
      const item = frame.node.items[frame.next];
      frame.next += 1;
      if (item === undefined) this.#leave(frame);
      else if (isMap(frame.node)) this.#readPair(frame, item as Pair<Node, Node | null>);
      else this.#readValue(frame, frame.next - 1, item as Node);
    }
    return this.#refusals === 0 ? { value, aliases: this.#aliases } : undefined;
  }

  #readPair(frame: Frame, { key, value }: Pair<Node, Node | null>): void {
    if (!isScalar(key) || key.value === null) {
      this.#fail(key, 'invalid_type', 'a key must be a plain text');
      return;
    }
    this.#checkNode(key);
    const text = keyText(key);
    frame.segment = text;
    if (!this.#isUsableKey(frame, key, text)) return;
    frame.keys.set(text, key.range?.[0] ?? 0);
    this.#readValue(frame, text, value);
  }

  #isUsableKey(frame: Frame, key: Scalar, text: string): boolean {
    this.#checkScalar(key, text, text);
    const first = frame.keys.get(text);
    if (text === '<<' && key.type === 'PLAIN') {
      this.#fail(
        key,
        'parse_error',
        '`<<` is not supported',
        'Merge keys are not part of YAML 1.2: write the keys out.',
      );
    } else if (first === undefined) return true;
    else this.#fail(key, 'duplicate', `duplicate key \`${text}\``, undefined, first);
    return false;
  }

  #readValue(frame: Frame, segment: PathSegment, node: Node | null): void {
    frame.segment = segment;
    const target = isAlias(node) ? this.#resolve(node) : node;
    if (target === undefined) return;
    const insideAlias = frame.insideAlias || isAlias(node);
    if (insideAlias && this.#isAliasBomb(node)) return;
    assign(frame.target, segment, target === null ? null : this.#valueOf(target, segment, insideAlias));
  }

  /** The plain value of a node; lists and mappings are filled when their own frame is read. */
  #valueOf(node: Node, segment: PathSegment, insideAlias: boolean): unknown {
    this.#checkNode(node);
    if (isScalar(node)) {
      this.#checkScalar(node, String(segment), node.value);
      return node.value;
    }
    if (!isMap(node) && !isSeq(node)) return undefined;
    if (this.#frames.length >= MAX_DEPTH) {
      this.#fail(node, 'limit', `nested too deeply: more than ${MAX_DEPTH} levels`);
      return undefined;
    }
    const child: Target = isMap(node) ? {} : [];
    this.#enter(node, child, insideAlias);
    return child;
  }

  #enter(node: YAMLMap | YAMLSeq, target: Target, insideAlias: boolean): void {
    this.#open.add(node);
    this.#frames.push({ node, target, segment: undefined, next: 0, keys: new Map(), insideAlias });
  }

  #leave(frame: Frame): void {
    this.#open.delete(frame.node);
    this.#frames.pop();
  }

  #resolve(alias: Alias): Node | undefined {
    const target = this.#anchors.get(alias.source);
    if (target === undefined) this.#fail(alias, 'parse_error', `alias \`*${alias.source}\` has no anchor before it`);
    else if (this.#open.has(target)) this.#fail(alias, 'parse_error', `alias \`*${alias.source}\` is circular`);
    else if (!this.#aliases.has(alias) && this.#aliases.size >= MAX_ALIASES)
      this.#fail(alias, 'limit', `more than ${MAX_ALIASES} aliases`);
    else {
      this.#aliases.set(alias, target);
      return target;
    }
    return undefined;
  }

  #isAliasBomb(node: Node | null): boolean {
    this.#aliasNodes += 1;
    if (this.#aliasNodes <= MAX_ALIAS_NODES) return false;
    this.#fail(node, 'limit', `aliases expand to more than ${MAX_ALIAS_NODES} nodes`);
    // One answer is enough: the rest of an alias bomb is not walked.
    this.#refusals = Number.POSITIVE_INFINITY;
    return true;
  }

  #checkNode(node: Node): void {
    if (isAlias(node)) return;
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (node.tag === undefined || coreTags.has(node.tag)) return;
    this.#fail(
      node,
      'parse_error',
      `tag \`${node.tag.replace('tag:yaml.org,2002:', '!!')}\` is not supported`,
      'Remove the tag.',
    );
  }

  #checkScalar(node: Scalar, segment: string, value: unknown): void {
    const found = scalarProblem(value);
    if (found === undefined) return;
    this.#fail(node, found.code, `\`${segment}\` ${found.message}`, found.hint);
  }

  #fail(node: Node | null, code: Finding['code'], message: string, hint?: string, related?: number): void {
    this.#refusals += 1;
    const path = this.#frames.flatMap((frame) => (frame.segment === undefined ? [] : [frame.segment]));
    this.#refuse(node?.range?.[0] ?? 0, { path, code, message, ...(hint === undefined ? {} : { hint }) }, related);
  }
}

function assign(target: Target, segment: PathSegment, value: unknown): void {
  if (Array.isArray(target)) target.push(value);
  // Free-form data may have a key `__proto__`; plain assignment would set the prototype instead.
  else if (segment === '__proto__') Object.defineProperty(target, segment, ownProperty(value));
  else target[segment] = value;
}

const ownProperty = (value: unknown): PropertyDescriptor => ({
  value,
  enumerable: true,
  configurable: true,
  writable: true,
});

export interface TreeOfFile {
  root: Node;
  aliases: ReadonlyMap<Alias, Node>;
}

interface Step {
  key: Node | undefined;
  value: Node | undefined;
}

/** Offset of a path in the file's text: of its key, of its value, or of the nearest key above when it is absent. */
export function placeOfPath(file: TreeOfFile, path: Path, at: 'key' | 'value'): number {
  let here: Step = { key: undefined, value: file.root };
  for (const segment of path) {
    const next = stepInto(file, here.value, segment);
    if (next === undefined) return offsetOf(here.key ?? here.value);
    here = next;
  }
  return at === 'key' ? offsetOf(here.key ?? here.value) : offsetOf(here.value ?? here.key);
}

function stepInto(file: TreeOfFile, node: Node | undefined, segment: PathSegment): Step | undefined {
  const target = isAlias(node) ? file.aliases.get(node) : node;
  if (isSeq<Node>(target) && typeof segment === 'number') {
    const value = target.items[segment];
    return value === undefined ? undefined : { key: undefined, value };
  }
  if (!isMap<Node, Node | null>(target)) return undefined;
  const wanted = String(segment);
  const pair =
    target.items.find((item) => keyText(item.key) === wanted) ??
    target.items.find((item) => snakeCase(keyText(item.key)) === snakeCase(wanted));
  return pair === undefined ? undefined : { key: pair.key, value: pair.value ?? undefined };
}

/** A key as JSON would spell it: `1` and `true` are texts as keys. */
const keyText = (key: unknown): string => (isScalar(key) ? (key.source ?? String(key.value)) : '');

const offsetOf = (node: Node | undefined): number => node?.range?.[0] ?? 0;
