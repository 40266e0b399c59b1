import { type Converter, DocumentProblem } from './conversion.ts';

const htmlName = /\.x?html?$/i;
const htmlStart = /^\s*(?:<!--[\s\S]{0,500}?-->\s*)?<(?:!doctype\s+html|html)\b/i;

/** Text as it is; HTML reduced to its text. */
export const convertPlainText: Converter = (bytes, { name }) => {
  const text = decodeText(bytes);
  if (htmlName.test(name) || htmlStart.test(text.slice(0, 1_000)))
    return { markdown: htmlToText(text), facts: { format: 'html' } };
  return { markdown: text, facts: { format: 'text' } };
};

/** The text of a UTF-8 file without its byte order mark. Anything else would silently become other characters. */
export function decodeText(bytes: Buffer): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DocumentProblem('type_mismatch', 'the file is not UTF-8 text');
  }
  if (text.includes('\0')) throw new DocumentProblem('type_mismatch', 'the file is not text: it has NUL characters');
  return text;
}

/** Elements whose content nobody reads. */
const hidden: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript', 'svg', 'iframe', 'object']);
const blocks: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote br dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li ' +
    'main nav ol option p pre section table tr ul'
  ).split(' '),
);
const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
  ['ndash', '–'],
  ['mdash', '—'],
  ['hellip', '…'],
  ['euro', '€'],
  ['copy', '©'],
]);

/** The readable text of an HTML page: no markup, no scripts, headings as `#`. One pass, and no part is ever read twice. */
export function htmlToText(html: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    const end = open === -1 ? html.length : open;
    if (end > at) parts.push(decodeEntities(html.slice(at, end)));
    if (open === -1) break;
    at = skipMarkup(html, open, parts);
  }
  return parts
    .join('')
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** Reads the markup at `open`, adds what it means for the text, and returns where the text goes on. */
function skipMarkup(html: string, open: number, parts: string[]): number {
  if (html.startsWith('<!--', open)) return after(html, '-->', open + 4);
  const name = /^<\/?([a-z][a-z0-9]*)|^<[!?]/i.exec(html.slice(open, open + 40));
  if (name === null) {
    parts.push('<');
    return open + 1;
  }
  const tag = (name[1] ?? '').toLowerCase();
  const isClosing = html[open + 1] === '/';
  const end = after(html, '>', open);
  if (hidden.has(tag) && !isClosing) return afterClosing(html, tag, end);
  parts.push(isClosing ? closingText(tag) : openingText(tag));
  return end;
}

function openingText(tag: string): string {
  if (/^h[1-6]$/.test(tag)) return `\n\n${'#'.repeat(Number(tag[1]))} `;
  if (tag === 'li') return '\n- ';
  return blocks.has(tag) ? '\n' : '';
}

function closingText(tag: string): string {
  if (tag === 'td' || tag === 'th') return ' ';
  return blocks.has(tag) ? '\n' : '';
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found === -1 ? html.length : found + mark.length;
}

function afterClosing(html: string, tag: string, from: number): number {
  const closing = new RegExp(`</${tag}\\b[^>]*>`, 'gi');
  closing.lastIndex = from;
  const match = closing.exec(html);
  return match === null ? html.length : closing.lastIndex;
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{1,10}));/gi, (whole, decimal, hex, name) => {
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    if (name !== undefined) return entities.get(String(name).toLowerCase()) ?? whole;
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\u{FFFD}';
  });
}
