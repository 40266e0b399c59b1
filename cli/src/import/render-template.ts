/**
 * The part of nunjucks that configurations use, without its way to the functions behind a value: whoever imports a file of
 * somebody else runs none of it. What is not known here is a reason, never an empty text.
 */
export type Rendered = { ok: true; text: string } | { ok: false; reason: string };

type Values = Readonly<Record<string, unknown>>;

/** Whether a text has a place for a value, or more of the template language than that. */
export const isTemplate = (text: string): boolean => /\{\{|\{%|\{#/.test(text);

const mostSteps = 20_000;
const mostText = 1_000_000;

/** A template with the values of a test; a name without a value is empty, as nunjucks has it. */
export function renderTemplate(template: string, values: Values): Rendered {
  if (!isTemplate(template)) return { ok: true, text: template };
  try {
    const rendering: Rendering = { pieces: cutPieces(template), at: 0, steps: 0, length: 0 };
    return { ok: true, text: renderUntil(rendering, values, { isActive: true, ends: [] }).text };
  } catch (error) {
    if (error instanceof Unknown) return { ok: false, reason: error.message };
    throw error;
  }
}

/** Something that only nunjucks itself could do. */
class Unknown extends Error {}

interface Piece {
  kind: 'text' | 'value' | 'tag';
  text: string;
}

function cutPieces(template: string): Piece[] {
  const pieces: Piece[] = [];
  let trims = false;
  let at = 0;
  const addText = (text: string): void => void pieces.push({ kind: 'text', text: trims ? text.trimStart() : text });
  for (const found of template.matchAll(/\{\{(-?)([\s\S]*?)(-?)\}\}|\{%(-?)([\s\S]*?)(-?)%\}|\{#[\s\S]*?#\}/g)) {
    const [whole, trimBefore, value, trimAfter, tagBefore, tag, tagAfter] = found;
    const before = template.slice(at, found.index);
    addText(trimBefore === '-' || tagBefore === '-' ? before.trimEnd() : before);
    trims = trimAfter === '-' || tagAfter === '-';
    at = found.index + whole.length;
    if (value !== undefined) pieces.push({ kind: 'value', text: value.trim() });
    if (tag !== undefined) pieces.push({ kind: 'tag', text: tag.trim() });
  }
  addText(template.slice(at));
  return pieces;
}

interface Rendering {
  pieces: readonly Piece[];
  at: number;
  steps: number;
  length: number;
}

interface Block {
  /** Whether what stands in it is said; the other branch of a condition is only passed over. */
  isActive: boolean;
  ends: readonly string[];
}

/** What stands up to one of the tags that end a block, and which tag that was. */
function renderUntil(rendering: Rendering, values: Values, { isActive, ends }: Block): { text: string; end: string } {
  let text = '';
  for (let piece = rendering.pieces[rendering.at]; piece !== undefined; piece = rendering.pieces[rendering.at]) {
    stepOn(rendering);
    if (piece.kind === 'tag' && ends.includes(piece.text.split(/\s/, 1)[0] ?? '')) return { text, end: piece.text };
    const said = sayPiece(rendering, piece, { values, isActive });
    rendering.length += said.length;
    text += said;
  }
  if (ends.length > 0) throw new Unknown(`a block has no {% ${ends.at(-1)} %}`);
  return { text, end: '' };
}

function stepOn(rendering: Rendering): void {
  rendering.at += 1;
  rendering.steps += 1;
  if (rendering.steps > mostSteps || rendering.length > mostText) throw new Unknown('it is too long');
}

/** Nothing of the branch that does not hold; its tags are followed, to find its end. */
function sayPiece(rendering: Rendering, piece: Piece, at: { values: Values; isActive: boolean }): string {
  if (piece.kind !== 'tag' && !at.isActive) return '';
  if (piece.kind === 'text') return piece.text;
  if (piece.kind === 'value') return saidOf(evaluate(piece.text, at.values));
  if (piece.text.startsWith('if ')) return sayCondition(rendering, piece.text.slice(3), at);
  if (piece.text.startsWith('for ')) return sayLoop(rendering, piece.text.slice(4), at);
  throw new Unknown(`it uses the template command {% ${piece.text} %}`);
}

function sayCondition(
  rendering: Rendering,
  condition: string,
  { values, isActive }: { values: Values; isActive: boolean },
): string {
  let isDone = false;
  let text = '';
  let next = condition;
  for (;;) {
    const holds: boolean = isActive && !isDone && (next === '' || Boolean(evaluateCondition(next, values)));
    const block = renderUntil(rendering, values, { isActive: holds, ends: ['elif', 'elseif', 'else', 'endif'] });
    text += block.text;
    isDone ||= holds;
    if (block.end === 'endif') return text;
    next = block.end.replace(/^(?:elif|elseif|else)\s*/, '');
  }
}

function sayLoop(
  rendering: Rendering,
  head: string,
  { values, isActive }: { values: Values; isActive: boolean },
): string {
  const parts = /^(\w+)(?:\s*,\s*(\w+))?\s+in\s+([\s\S]+)$/.exec(head);
  if (parts === null) throw new Unknown(`it uses the template command {% for ${head} %}`);
  const [, name = '', second, source = ''] = parts;
  const list = isActive ? entriesOf(evaluate(source, values)) : [];
  const begin = rendering.at;
  const ends = ['endfor'];
  let text = '';
  for (const [index, [key, value]] of list.entries()) {
    rendering.at = begin;
    const loop = {
      index: index + 1,
      index0: index,
      first: index === 0,
      last: index === list.length - 1,
      length: list.length,
    };
    const own = second === undefined ? { [name]: value } : { [name]: key, [second]: value };
    text += renderUntil(rendering, { ...values, ...own, loop }, { isActive: true, ends }).text;
  }
  if (list.length === 0) renderUntil(rendering, values, { isActive: false, ends });
  return text;
}

function entriesOf(value: unknown): [unknown, unknown][] {
  if (Array.isArray(value)) return value.map((item: unknown, index) => [index, item]);
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function evaluateCondition(text: string, values: Values): unknown {
  const either = splitOutside(text, /^\s+or\s+/);
  if (either.length > 1) return either.some((part) => Boolean(evaluateCondition(part, values)));
  const both = splitOutside(text, /^\s+and\s+/);
  if (both.length > 1) return both.every((part) => Boolean(evaluateCondition(part, values)));
  const negated = /^\s*not\s+([\s\S]+)$/.exec(text)?.[1];
  if (negated !== undefined) return !evaluateCondition(negated, values);
  const compared = /^([\s\S]+?)\s*(===?|!==?|>=|<=|>|<)\s*([\s\S]+)$/.exec(text);
  if (compared === null) return evaluate(text, values);
  const [, left = '', sign = '', right = ''] = compared;
  return compare(evaluate(left, values), sign, evaluate(right, values));
}

/** As JavaScript does, to which nunjucks leaves it: `1 == "1"` holds, and two texts are compared as texts. */
function compare(a: unknown, sign: string, b: unknown): boolean {
  if (sign === '===') return a === b;
  if (sign === '!==') return a !== b;
  if (sign === '==') return isLooselySame(a, b);
  if (sign === '!=') return !isLooselySame(a, b);
  if (isObject(a) || isObject(b)) throw new Unknown(`it compares a list or an object by ${sign}`);
  const [left, right] = typeof a === 'string' && typeof b === 'string' ? [a, b] : [Number(a), Number(b)];
  if (sign === '>') return left > right;
  if (sign === '<') return left < right;
  return sign === '>=' ? left >= right : left <= right;
}

function isLooselySame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isAbsent(a) || isAbsent(b)) return isAbsent(a) && isAbsent(b);
  if (isObject(a) !== isObject(b)) throw new Unknown('it compares a list or an object with a plain value');
  return typeof a !== typeof b && Number(a) === Number(b);
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** The parts of a text between the places where a pattern begins, those inside of quotes and brackets left out. */
function splitOutside(text: string, pattern: RegExp): string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    at = behindEnclosed(text, at);
    const [found] = pattern.exec(text.slice(at)) ?? [];
    if (found === undefined) continue;
    parts.push(text.slice(from, at));
    from = at + found.length;
    at = from - 1;
  }
  return [...parts, text.slice(from)];
}

const closing: Readonly<Record<string, string>> = { '"': '"', "'": "'", '(': ')', '[': ']', '{': '}' };

/** Where a text goes on behind what is opened at a place: there, when nothing is. */
function behindEnclosed(text: string, at: number): number {
  const close = closing[text[at] ?? ''];
  if (close === undefined) return at;
  const isText = close === text[at];
  let next = at + 1;
  while (next < text.length && text[next] !== close)
    next = isText ? next + 1 : Math.max(next + 1, behindEnclosed(text, next));
  return next + 1;
}

function evaluate(text: string, values: Values): unknown {
  // The last of a list, as it is usually written.
  const plain = text.trim().replaceAll(/\b([\w.]+)\[\s*\1\.length\s*-\s*1\s*\]/g, '($1 | last)');
  const [first = '', ...filters] = splitOutside(plain, /^\|/);
  return filters.reduce(
    (value, filter) => applyFilter(filter.trim(), value, values),
    literalOrPath(first.trim(), values),
  );
}

function literalOrPath(text: string, values: Values): unknown {
  // A quote ends its text: behind it stands an expression, which is not known here.
  const quoted = /^(["'])((?:(?!\1)[\s\S])*)\1$/.exec(text)?.[2];
  if (quoted !== undefined) return quoted;
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (text === 'true' || text === 'false') return text === 'true';
  const [, inner, rest] = /^\(([\s\S]*)\)((?:\.\w+)*)$/.exec(text) ?? [];
  if (inner !== undefined) return behindPath(evaluate(inner, values), (rest ?? '').split('.').filter(Boolean));
  if (/^env\b/.test(text)) throw new Unknown(`it takes a value of the environment, {{${text}}}`);
  if (!/^[A-Za-z_]\w*(?:\.\w+|\[\s*(?:\d+|"[^"]*"|'[^']*')\s*\])*$/.test(text))
    throw new Unknown(`it uses the template expression {{${text}}}`);
  const keys = [...text.matchAll(/\w+|"[^"]*"|'[^']*'/g)].map(([key]) => key.replaceAll(/^["']|["']$/g, ''));
  return behindPath(values, keys);
}

function behindPath(from: unknown, keys: readonly string[]): unknown {
  let value = from;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key]; // an object whose own key this is
  }
  return value;
}

function loadJson(value: unknown): unknown {
  try {
    return JSON.parse(textOf(value));
  } catch {
    throw new Unknown('it loads a text that is no JSON');
  }
}

const filters = new Map<string, (value: unknown, argument: unknown) => unknown>([
  ['upper', (value) => textOf(value).toUpperCase()],
  ['lower', (value) => textOf(value).toLowerCase()],
  ['trim', (value) => textOf(value).trim()],
  ['capitalize', (value) => `${textOf(value).slice(0, 1).toUpperCase()}${textOf(value).slice(1).toLowerCase()}`],
  ['title', (value) => textOf(value).replaceAll(/\b\w/g, (letter) => letter.toUpperCase())],
  ['safe', (value) => value],
  ['string', (value) => textOf(value)],
  ['dump', (value, indent) => JSON.stringify(value ?? null, null, Number(indent ?? 0))],
  ['load', loadJson],
  ['tojson', (value) => JSON.stringify(value ?? null)],
  ['length', (value) => (Array.isArray(value) ? value.length : textOf(value).length)],
  ['first', (value) => (Array.isArray(value) ? value[0] : textOf(value)[0])],
  ['last', (value) => (Array.isArray(value) ? value.at(-1) : textOf(value).at(-1))],
  ['join', (value, between) => (Array.isArray(value) ? value.map(textOf).join(textOf(between ?? '')) : textOf(value))],
  ['default', (value, other) => value ?? other],
]);

function applyFilter(written: string, value: unknown, values: Values): unknown {
  const [, name = '', argument] = /^(\w+)(?:\(([\s\S]*)\))?$/.exec(written) ?? [];
  const filter = filters.get(name);
  if (filter === undefined) throw new Unknown(`it uses the template filter ${written.slice(0, 60)}`);
  return filter(value, argument === undefined || argument.trim() === '' ? undefined : evaluate(argument, values));
}

/** A list is said with commas between, as nunjucks does; an object only where something makes a text of it. */
function saidOf(value: unknown): string {
  const parts: unknown[] = Array.isArray(value) ? value.flat(mostSteps) : [value];
  if (parts.some(isObject)) throw new Unknown('it says an object as a text: write `| dump` behind its name');
  return parts.map(textOf).join(',');
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
