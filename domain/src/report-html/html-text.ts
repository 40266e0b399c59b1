import { redactText } from '../text/redact-text.ts';
import { cutMark, headOf, visibleText } from '../text/visible-text.ts';

/** A piece of a page. Only `html` makes one, so no text gets into a page as markup. */
export interface Html {
  readonly markup: string;
}

export type HtmlPart = Html | string | number | null | readonly HtmlPart[];

/** Markup with its parts put in: a text is escaped, shown visibly, freed of keys and cut; null is nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  let markup = strings[0] ?? '';
  for (const [index, part] of parts.entries()) markup += `${markupOf(part)}${strings[index + 1] ?? ''}`;
  return { markup };
}

export const nothing: Html = { markup: '' };

function markupOf(part: HtmlPart): string {
  if (part === null) return '';
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return escapeHtml(shownText(part, { maxUnits: 2_000 }));
  return 'markup' in part ? part.markup : part.map(markupOf).join('');
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');

interface TextLimits {
  maxUnits: number;
  maxLines?: number;
}

/** As much behind the cut as a key may be long: half a key would not look like one. */
const keyUnits = 8_192;

/** Text of others as it may be shown: keys gone, what is invisible visible, cut with a mark that counts the rest. */
function shownText(text: string, { maxUnits, maxLines = Number.POSITIVE_INFINITY }: TextLimits): string {
  const visible = visibleText(redactText(text.slice(0, maxUnits + keyUnits)));
  const isCut = text.length > maxUnits;
  const head = isCut ? headOf(visible, maxUnits) : visible;
  const lines = head.split('\n');
  if (lines.length > maxLines) {
    const kept = lines.slice(0, maxLines).join('\n');
    return `${kept}\n${cutMark(Math.max(text.length, head.length) - kept.length)}`;
  }
  return isCut ? `${head}${cutMark(text.length - maxUnits)}` : head;
}

/** Text with its line breaks, as a block; blank text says that it is blank. */
export function textBlock(text: string, { maxUnits = 20_000, maxLines = 400 }: Partial<TextLimits> = {}): Html {
  if (text.trim() === '') return html`<p class="empty">(empty)</p>`;
  // A parser drops the first line break of the element; it stands here so that one of the text is kept.
  return { markup: `<pre dir="auto">\n${escapeHtml(shownText(text, { maxUnits, maxLines }))}</pre>` };
}

/** A name inside a line: its own direction of writing does not reorder what stands beside it. */
export function nameText(text: string, maxUnits = 200): Html {
  if (text.trim() === '') return html`(empty)`;
  const line = shownText(text, { maxUnits }).replaceAll(/[\n\t]/g, ' ');
  return { markup: `<bdi>${escapeHtml(line)}</bdi>` };
}
