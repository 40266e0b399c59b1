/** Characters that show nothing or reorder what is shown; line breaks and tabs are ordinary text here. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const emojiPart = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u{FE0F}/u;
const joinedScript = /[\p{L}\p{M}]/u;
const unjoinedScript = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u;

/**
 * The text with every control, invisible and bidirectional character shown as `\u{202E}`, NUL and broken surrogates
 * as U+FFFD, and all line ends as `\n`. Joiners stay where writing needs them: inside emoji and joined scripts.
 */
export function visibleText(text: string): string {
  const wellFormed = text.toWellFormed().replaceAll('\0', '\u{FFFD}').replaceAll(/\r\n?/g, '\n');
  return wellFormed.replaceAll(invisible, (character, offset: number) =>
    character === '\n' || character === '\t' || belongsToNeighbours(wellFormed, character, offset)
      ? character
      : escaped(character),
  );
}

// Shown, never dropped: dropping a character could join its neighbours to a mention or a link.
function escaped(character: string): string {
  const codePoint = character.codePointAt(0) ?? 0;
  return `\\u{${codePoint.toString(16).toUpperCase().padStart(4, '0')}}`;
}

function belongsToNeighbours(text: string, character: string, offset: number): boolean {
  if (!'\u{200C}\u{200D}\u{FE0E}\u{FE0F}'.includes(character)) return false;
  const before = characterBefore(text, offset);
  if (character === '\u{FE0E}' || character === '\u{FE0F}') return /[\p{Emoji}]/u.test(before);
  const after = String.fromCodePoint(text.codePointAt(offset + character.length) ?? 0);
  if (character === '\u{200D}' && emojiPart.test(before) && emojiPart.test(after)) return true;
  return joinedScript.test(before) && !unjoinedScript.test(before) && joinedScript.test(after);
}

function characterBefore(text: string, offset: number): string {
  const low = text.charCodeAt(offset - 1);
  const start = low >= 0xdc00 && low <= 0xdfff ? offset - 2 : offset - 1;
  return start < 0 ? '' : String.fromCodePoint(text.codePointAt(start) ?? 0);
}

let segmenter: Intl.Segmenter | undefined;

/** Made when a text is cut for the first time: it costs 8 ms of a processor, and most processes never cut one. */
function graphemes(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter;
}

/** The text unchanged up to `maxUnits` UTF-16 units, else cut at a grapheme border with `… N more characters` behind it. */
export function cutText(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  const head = headOf(text, maxUnits);
  return `${head}${cutMark(text.length - head.length)}`;
}

/** What is kept of a text when it is cut: at most `maxUnits` UTF-16 units, never half a character. */
export const headOf = (text: string, maxUnits: number): string =>
  text.length <= maxUnits ? text : text.slice(0, cutPosition(text, maxUnits));

/** A line unchanged up to `maxUnits`, else cut between two words, or inside of a word that is as long as half of it, with `…`. */
export function cutLine(line: string, maxUnits: number): string {
  if (line.length <= maxUnits) return line;
  const head = headOf(line, maxUnits - 1);
  const space = head.lastIndexOf(' ');
  const isBetweenWords = line[head.length] === ' ' || space < maxUnits / 2;
  return `${isBetweenWords ? head : head.slice(0, space)}…`;
}

export const cutMark = (units: number): string => `… ${units} more ${units === 1 ? 'character' : 'characters'}`;

function cutPosition(text: string, maxUnits: number): number {
  const window = text.slice(0, maxUnits + 64);
  const border = graphemes().segment(window).containing(maxUnits)?.index ?? maxUnits;
  // A "character" of hundreds of combining marks is cut inside; only a surrogate pair is never split.
  if (maxUnits - border <= 64) return border;
  const unit = text.charCodeAt(maxUnits);
  return unit >= 0xdc00 && unit <= 0xdfff ? maxUnits - 1 : maxUnits;
}

/** Text in which `##[`, by which the log of a job knows a command of the old form anywhere in a line, is taken apart. */
export const withoutOldCommands = (text: string): string => text.replaceAll('##[', '# #[');

/** `::` where the log of a job looks for a command: first in a line, whatever that ends with, behind anything blank. */
const atLineStart = /(^|[\n\v\f\r\u0085\u2028\u2029])([[\s\p{Cc}\p{Cf}]--[\n\v\f\r\u0085\u2028\u2029]]*)::/gv;

/** Lines that a job of GitHub Actions prints and never obeys. Nothing else of them changes. */
export const withoutCommands = (text: string): string => withoutOldCommands(text).replaceAll(atLineStart, '$1$2│ ::');
