import { type Alias, isAlias, isMap, isScalar, isSeq, type Node } from 'yaml';
import { snakeCase } from './key-spelling.ts';
import type { Path, PathSegment } from './path-text.ts';

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
export const keyText = (key: unknown): string => (isScalar(key) ? (key.source ?? String(key.value)) : '');

const offsetOf = (node: Node | undefined): number => node?.range?.[0] ?? 0;
