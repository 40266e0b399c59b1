import type { z } from 'zod';
import { nearMatch } from '../definitions/near-match.ts';
import { type Finding, isBlocking, type Path, type PathSegment } from './finding.ts';
import { readShape } from './read-shape.ts';
import { isMapping, schemaPlan, snakeCase } from './schema-plan.ts';

interface PartialReading<T> {
  /** What is right of it, errors left out; undefined when nothing can be used. */
  value: T | undefined;
  /** The value with known keys in their one spelling, whether or not it has the shape. */
  folded: unknown;
  findings: Finding[];
  /** Keys of the top with an error in them: that something is missing there says nothing yet. */
  broken: ReadonlySet<string>;
  /** The path in the file of a path in `value`, whose lists are shorter where entries were left out. */
  restore: (path: Path) => Path;
}

/** Most of what is read is right, and there may be very much of it. */
const none: ReadonlySet<string> = new Set();
const asItIs = (path: Path): Path => path;

/**
 * Reads plain data as the given shape, and what is right of it where it is wrong, so that whoever looks further can tell
 * everything else in the same round. `standIns` take the place of required keys that are wrong or missing.
 */
export function readPartly<T>(
  schema: z.ZodType<T>,
  original: unknown,
  standIns: Readonly<Record<string, unknown>> = {},
): PartialReading<T> {
  const { value, folded, findings } = readShape(schema, original);
  if (value !== undefined && findings.length === 0) return { value, folded, findings, broken: none, restore: asItIs };
  const known = schemaPlan(schema);
  const names = known.kind === 'object' ? [...known.fields.keys()] : [];
  const broken = new Set(findings.filter(isBlocking).flatMap((finding) => meantKey(finding, names)));
  if (value !== undefined) return { value, folded, findings, broken, restore: asItIs };
  return { folded, findings, broken, ...salvage(schema, folded, standIns) };
}

/** A misspelt key stands for the one that was probably meant. */
function meantKey({ path, code }: Finding, names: readonly string[]): string[] {
  const key = snakeCase(String(path[0] ?? ''));
  if (code !== 'unknown_field' || path.length > 1) return [key];
  const near = nearMatch(key, names);
  return near === undefined ? [] : [near];
}

interface Salvage<T> {
  value: T | undefined;
  /** The path in the whole value of a path in what is left of it. */
  restore: (path: Path) => Path;
}

/** Every round takes out what is wrong then; what has become wrong by that lies a level higher. */
const MAX_ROUNDS = 12;
/** A value with more errors than are ever shown is not looked at any further. */
const MAX_ISSUES = 1000;

/**
 * What a schema accepts of a value that it refuses: the smallest parts with an error are left out, then what is
 * incomplete without them. Undefined when that is the whole value.
 */
function salvage<T>(
  schema: z.ZodType<T>,
  whole: unknown,
  standIns: Readonly<Record<string, unknown>> = {},
): Salvage<T> {
  const removed: Removed = new Map();
  const nothing: Salvage<T> = { value: undefined, restore: (path) => path };
  for (let round = 0; round < MAX_ROUNDS && isMapping(whole); round += 1) {
    const kept: KeptEntries = new Map();
    const rest = without(whole, removed, { path: [], kept });
    const parsed = schema.safeParse(isMapping(rest) ? { ...standIns, ...rest } : rest);
    const restore = (path: Path): Path => originalPath(path, kept);
    if (parsed.success) return { value: parsed.data, restore };
    const { issues } = parsed.error;
    if (issues.length > MAX_ISSUES) return nothing;
    const targets = issues.flatMap(wrongPaths).map((path) => partThatIsThere(rest, path));
    if (targets.some((target) => target.length === 0)) return nothing;
    for (const target of targets) markRemoved(removed, restore(target));
  }
  return nothing;
}

/** What is left out, step by step down the value; null where something is left out as a whole. */
type Removed = Map<PathSegment, Removed | null>;
/** By the path of a list: which of its entries are left. */
type KeptEntries = Map<string, number[]>;

const wrongPaths = (issue: z.core.$ZodIssue): Path[] => {
  const path = issue.path.map((segment) => (typeof segment === 'number' ? segment : String(segment)));
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path];
};

/** As much of a path as leads somewhere: what is missing makes the part incomplete that misses it. */
function partThatIsThere(value: unknown, path: Path): Path {
  let here = value;
  for (const [depth, segment] of path.entries()) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, segment)) return path.slice(0, depth);
    here = Array.isArray(here) ? here[Number(segment)] : isMapping(here) ? here[segment] : undefined;
  }
  return path;
}

function markRemoved(removed: Removed, path: Path): void {
  let here = removed;
  for (const segment of path.slice(0, -1)) {
    const inner = here.get(segment);
    // Left out already, with everything below.
    if (inner === null) return;
    const next: Removed = inner ?? new Map();
    here.set(segment, next);
    here = next;
  }
  here.set(path.at(-1) ?? '', null);
}

/** Parts with nothing to leave out are passed on as they are. */
function without(value: unknown, removed: Removed, { path, kept }: { path: Path; kept: KeptEntries }): unknown {
  const inner = (segment: PathSegment, item: unknown): unknown => {
    const below = removed.get(segment);
    return below === undefined || below === null ? item : without(item, below, { path: [...path, segment], kept });
  };
  if (Array.isArray(value)) {
    const entries = value.map((_, index) => index).filter((index) => removed.get(index) !== null);
    kept.set(JSON.stringify(path), entries);
    return entries.map((index) => inner(index, value[index]));
  }
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).filter(([key]) => removed.get(key) !== null);
  // Entries become own keys, `__proto__` too.
  return Object.fromEntries(entries.map(([key, item]) => [key, inner(key, item)]));
}

function originalPath(path: Path, kept: KeptEntries): Path {
  const found: PathSegment[] = [];
  for (const segment of path) {
    const entries = typeof segment === 'number' ? kept.get(JSON.stringify(found)) : undefined;
    found.push(entries?.[Number(segment)] ?? segment);
  }
  return found;
}
