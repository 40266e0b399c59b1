import { type Converter, chosenPages, DocumentProblem } from './conversion.ts';
import { mostCharacters } from './fit-markdown.ts';

const mostPages = 10_000;

/** The text layer page by page. A scan has none and is empty; scripts in the file are never run. */
export const convertPdf: Converter = async (bytes, { pages }) => {
  if (!bytes.subarray(0, 1024).includes('%PDF-')) throw new DocumentProblem('type_mismatch', 'the file is not a PDF');
  const { getDocument } = await import('unpdf/pdfjs');
  const task = getDocument({
    data: new Uint8Array(bytes),
    enableXfa: false,
    disableFontFace: true,
    useSystemFonts: true,
    maxImageSize: 1,
    stopAtErrors: false,
    verbosity: 0,
  });
  const document = await task.promise.catch((error: unknown) => {
    throw openProblem(error);
  });
  const count = document.numPages;
  if (count > mostPages) throw new DocumentProblem('too_large', `the PDF has ${count} pages, limit ${mostPages}`);
  const parts: string[] = [];
  let length = 0;
  for (const number of chosenPages(pages, count, 'page')) {
    const { items } = await (await document.getPage(number)).getTextContent();
    const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
    if (/\S/.test(text)) parts.push(`## Page ${number}\n\n${text.trim()}`);
    length += text.length;
    if (length > mostCharacters) break;
  }
  if (parts.length === 0)
    throw new DocumentProblem('empty', 'the PDF has no text on these pages: a scan has to be given as images');
  return { markdown: parts.join('\n\n'), facts: { format: 'pdf', pages: count } };
};

function openProblem(error: unknown): DocumentProblem {
  const name = error instanceof Error ? error.name : '';
  if (name === 'PasswordException') return new DocumentProblem('encrypted', 'the PDF is protected by a password');
  const reason = error instanceof Error ? error.message : String(error);
  return new DocumentProblem('unreadable', `the PDF is broken: ${reason.slice(0, 200)}`);
}
