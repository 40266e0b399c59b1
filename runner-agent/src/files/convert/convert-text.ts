import type { Converter } from './conversion.ts';
import { decodeText } from './decode-text.ts';
import { htmlToText } from './html-to-text.ts';

const htmlName = /\.x?html?$/i;
const htmlStart = /^\s*(?:<!--[\s\S]{0,500}?-->\s*)?<(?:!doctype\s+html|html)\b/i;

/** Text as it is; HTML reduced to its text. */
export const convertText: Converter = (bytes, { name }) => {
  const text = decodeText(bytes);
  if (htmlName.test(name) || htmlStart.test(text.slice(0, 1_000)))
    return { markdown: htmlToText(text), facts: { format: 'html' } };
  return { markdown: text, facts: { format: 'text' } };
};
