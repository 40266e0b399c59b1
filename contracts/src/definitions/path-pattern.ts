import { z } from 'zod';

const mostUnits = 300;
/** What `{a,b}` may come to in one pattern. */
const mostAlternatives = 64;

/**
 * A pattern of paths, as a repository writes it: `*` and `?` inside a name, `**` for any number of folders, `[abc]`, and
 * `{a,b}` for a choice. Ranges such as `{1..100}` are not read: they would make millions of patterns of one.
 */
export const PathPattern = z
  .string()
  .min(1)
  .max(mostUnits)
  .superRefine((pattern, context) => {
    const problem = wrongIn(pattern);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  });

function wrongIn(pattern: string): string | null {
  if (/\{[^{},]*\.\.[^{},]*\}/.test(pattern)) return 'ranges in braces are not read: name the choices, as in {a,b}';
  return alternativesOf(pattern) === null ? `it has more than ${mostAlternatives} choices: use several patterns` : null;
}

/**
 * Whether a path from the root fits a pattern. Names that begin with a dot are fitted only by a pattern that writes the dot.
 * The time grows with the lengths of both, whatever the pattern repeats; one with too many choices fits nothing.
 */
export function matchesPattern(path: string, pattern: string): boolean {
  const names = path.split('/');
  return (alternativesOf(pattern.replace(/^\.\//, '')) ?? []).some((one) => fitsNames(names, one.split('/')));
}

/** The pattern without braces, once for each choice; null: there are too many. */
function alternativesOf(pattern: string): string[] | null {
  const open: string[] = [];
  const waiting = [pattern];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (open.length + waiting.length >= mostAlternatives) return null;
    const choice = firstChoice(next);
    if (choice === null) open.push(next);
    else waiting.push(...choice.toReversed());
  }
  return open;
}

/** The pattern with its first outer `{a,b}` replaced by each of its choices; null: it has none. */
function firstChoice(pattern: string): string[] | null {
  const start = pattern.indexOf('{');
  const borders = start < 0 ? [] : bordersFrom(pattern, start);
  const end = borders.at(-1) ?? -1;
  // A single name in braces is no choice, here as in a shell.
  if (pattern[end] !== '}' || borders.length < 3) return null;
  const [before, after] = [pattern.slice(0, start), pattern.slice(end + 1)];
  return borders.slice(1).map((border, index) => before + pattern.slice((borders[index] ?? 0) + 1, border) + after);
}

/** The brace that opens a choice, its commas, and the brace that closes it where there is one. */
function bordersFrom(pattern: string, start: number): number[] {
  const borders: number[] = [];
  let depth = 0;
  for (let at = start; at < pattern.length; at += 1) {
    const character = pattern[at] ?? '';
    if (character === '}') depth -= 1;
    if (depth === bordering.get(character)) borders.push(at);
    if (character === '{') depth += 1;
    if (depth === 0) break;
  }
  return borders;
}

/** How deep in braces each of these stands when it borders the outermost choice. */
const bordering = new Map([
  ['{', 0],
  [',', 1],
  ['}', 0],
]);

/** Part by part: after which of the first names the pattern up to there can have ended. */
function fitsNames(names: readonly string[], parts: readonly string[]): boolean {
  const nothingRead = [true, ...names.map(() => false)];
  const reached = parts.reduce<boolean[]>((before, part, index) => {
    if (part === '**') return afterFolders(names, before, index === parts.length - 1);
    return before.map((_, at) => at > 0 && before[at - 1] === true && fitsName(names[at - 1] ?? '', part));
  }, nothingRead);
  return reached[names.length] === true;
}

/** `**` at the end stands for something; between folders it may stand for nothing. */
function afterFolders(names: readonly string[], before: readonly boolean[], isLast: boolean): boolean[] {
  const reached: boolean[] = [];
  for (const [at, isReached] of before.entries()) {
    const isOneMore = at > 0 && (before[at - 1] === true || reached[at - 1] === true);
    reached.push((isReached && !isLast) || (isOneMore && !(names[at - 1] ?? '').startsWith('.')));
  }
  return reached;
}

/** Character by character, as with names: after which of the first characters the pattern up to there can have ended. */
function fitsName(name: string, part: string): boolean {
  if (name === '' || (name.startsWith('.') && !part.startsWith('.'))) return name === part;
  const characters = Array.from(name);
  let reached = [true, ...characters.map(() => false)];
  for (let at = 0; at < part.length; ) {
    const { length, fits } = pieceAt(part, at);
    at += length;
    if (fits === null) reached = fromFirst(reached);
    else reached = reached.map((_, end) => end > 0 && reached[end - 1] === true && fits(characters[end - 1] ?? ''));
  }
  return reached.at(-1) === true;
}

/** Everything from the first place on that was reached: `*` may stand for nothing or more. */
function fromFirst(reached: readonly boolean[]): boolean[] {
  const first = reached.indexOf(true);
  return reached.map((_, at) => first >= 0 && at >= first);
}

interface Piece {
  /** Of the pattern. */
  length: number;
  /** Which characters it stands for one of; null: any number of any. */
  fits: ((character: string) => boolean) | null;
}

function pieceAt(part: string, at: number): Piece {
  const wanted = part[at];
  if (wanted === '*') return { length: 1, fits: null };
  if (wanted === '?') return { length: 1, fits: () => true };
  const end = wanted === '[' ? part.indexOf(']', at + 2) : -1;
  if (end === -1) {
    const whole = String.fromCodePoint(part.codePointAt(at) ?? 0);
    return { length: whole.length, fits: (character) => character === whole };
  }
  const isNegated = part[at + 1] === '!' || part[at + 1] === '^';
  const members = part.slice(at + (isNegated ? 2 : 1), end);
  return { length: end + 1 - at, fits: (character) => isInClass(character, members) !== isNegated };
}

function isInClass(character: string, members: string): boolean {
  for (let at = 0; at < members.length; at += 1) {
    const isRange = members[at + 1] === '-' && at + 2 < members.length;
    const [from = '', to = ''] = isRange ? [members[at], members[at + 2]] : [members[at], members[at]];
    if (character >= from && character <= to) return true;
    if (isRange) at += 2;
  }
  return false;
}
