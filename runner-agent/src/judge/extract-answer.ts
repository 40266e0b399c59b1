import { canonicalJson } from '@proofmark/contracts/canonical-json';
import { parseJson } from '@proofmark/contracts/parse-json';
import { z } from 'zod';
import { isTooDeep } from '../models/json-depth.ts';

export type Extracted<T> = { ok: true; value: T } | { ok: false; problem: string };

/**
 * The one object in an answer that has the shape. Models think aloud, greet, and fence; servers accept a schema and do not
 * keep to it. So the thoughts go first; then the whole text counts, then its last fenced block, then the one object that
 * fits. What the model was shown itself and only repeats is never its answer, and of two different answers none is.
 */
export function extractAnswer<Shape extends z.ZodType>(
  text: string,
  shape: Shape,
  shown: readonly string[] = [],
): Extracted<z.output<Shape>> {
  const spoken = withoutThoughts(text);
  if (spoken.trim() === '') {
    const hasThought = text.trim() !== '';
    return { ok: false, problem: hasThought ? 'it thinks aloud and comes to no answer' : 'there is no text' };
  }
  const whole = parsed(spoken);
  if (whole !== undefined) return read(shape, whole);
  const objects = objectsIn(spoken);
  const fitting = objects.filter((object) => shape.safeParse(object).success);
  const own = withoutEchoes(distinct(fitting), shape, shown);
  const [answer, ...others] = own;
  if (answer !== undefined && others.length === 0) return read(shape, answer);
  const last = lastFence(spoken);
  const isOwn = own.some((object) => last !== undefined && canonicalJson(object) === canonicalJson(last));
  if (isOwn) return read(shape, last);
  if (others.length > 0) return { ok: false, problem: `there are ${own.length} different answers in it` };
  if (fitting.length > 0) return { ok: false, problem: 'it only repeats what it was shown' };
  const [closest] = objects.slice(-1);
  return closest === undefined ? { ok: false, problem: 'there is no JSON object in it' } : read(shape, closest);
}

function read<Shape extends z.ZodType>(shape: Shape, value: unknown): Extracted<z.output<Shape>> {
  const fits = shape.safeParse(value);
  if (fits.success) return { ok: true, value: fits.data };
  const problems = fits.error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join('.') || 'the answer'}: ${message}`);
  return { ok: false, problem: problems.join('; ') };
}

/** The text behind the thoughts: from `<think>` to its end, to the end of all where they were cut off, or all before a lone end. */
export function withoutThoughts(text: string): string {
  const opened = text.replace(/^\s*<(think|thinking|thought|reasoning)>[\s\S]*?(?:<\/\1>|$)/i, '');
  // A server may send the thoughts without their beginning, which stood in the prompt.
  const end =
    opened === text
      ? /<\/(?:think|thinking|thought|reasoning)>(?![\s\S]*<\/(?:think|thinking|thought|reasoning)>)/i.exec(text)
      : null;
  return end === null || parsed(text) !== undefined ? opened : text.slice(end.index + end[0].length);
}

function parsed(text: string): unknown {
  return isTooDeep(text) ? undefined : parseJson(text);
}

const fence = '```';

/** The object in the last fenced block; undefined when there is none, or when another object stands behind it. */
function lastFence(text: string): object | undefined {
  const end = text.lastIndexOf(fence);
  const start = end === -1 ? -1 : text.lastIndexOf(fence, end - 1);
  if (start === -1 || objectsIn(text.slice(end)).length > 0) return undefined;
  const inside = text.slice(start + fence.length, end);
  const value = parsed(inside.replace(/^json[ \t]*(?=\r?\n)/i, ''));
  return typeof value === 'object' && value !== null ? value : undefined;
}

const objectStart = /\{(?=\s*["}])/g;
/** More beginnings that lead to nothing are no answer but an attempt to keep us busy. */
const mostFailures = 50;

/** The outermost JSON objects in a text, in their order. */
function objectsIn(text: string): object[] {
  const found: object[] = [];
  let failures = 0;
  objectStart.lastIndex = 0;
  for (let start = objectStart.exec(text); start !== null && failures < mostFailures; start = objectStart.exec(text)) {
    const end = endOfObject(text, start.index);
    const value = end === -1 ? undefined : parsed(text.slice(start.index, end));
    if (typeof value === 'object' && value !== null) {
      found.push(value);
      objectStart.lastIndex = end;
    } else failures += 1;
  }
  return found;
}

/** Where the object that begins here ends, one behind its brace; -1: nowhere. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfText(text, at);
    else if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return -1;
}

/** Where the text in quotes that begins here ends. */
function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

function distinct(objects: readonly object[]): object[] {
  return [...new Map(objects.map((object) => [canonicalJson(object), object])).values()];
}

/** Without those that stand in what the model was shown: an agent that writes a verdict into its answer hopes that it is repeated. */
function withoutEchoes(objects: readonly object[], shape: z.ZodType, shown: readonly string[]): object[] {
  if (objects.length === 0) return [];
  const written = shown.flatMap(objectsIn).filter((object) => shape.safeParse(object).success);
  const echoes = new Set(written.map((object) => canonicalJson(object)));
  return objects.filter((object) => !echoes.has(canonicalJson(object)));
}

const wholeNumber = /^\s*[+-]?\d{1,15}(?:\.0+)?\s*$/;

/** A whole number from `min` to `max`, which models also write as "4" or 4.0. */
export const lenientInt = ({ min, max }: { min: number; max: number }) =>
  z.preprocess(
    (value) => (typeof value === 'string' && wholeNumber.test(value) ? Number(value) : value),
    z.int().min(min).max(max),
  );

/** Yes or no, which models also write as text. */
export const lenientBoolean: z.ZodType<boolean> = z.union([
  z.boolean(),
  z
    .string()
    .regex(/^\s*(?:true|false)\s*$/i)
    .transform((text) => text.trim().toLowerCase() === 'true'),
]);

/** Words of ours, whatever their case. */
export const lenientWord = <Word extends string>(words: readonly Word[]) =>
  z.preprocess((value) => (typeof value === 'string' ? value.trim().toLowerCase() : value), z.literal([...words]));

/** What a model says about its answer; it may leave it out. */
export const lenientText = z
  .string()
  .nullish()
  .transform((text) => text ?? '');
