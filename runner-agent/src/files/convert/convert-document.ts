import type { FileInput } from '@proofmark/contracts/test-case';
import { type Conversion, type ConversionRequest, type Converter, DocumentProblem } from './conversion.ts';
import { fitMarkdown } from './fit-markdown.ts';

/** Loaded when needed: a text must not wait for the PDF reader. */
const converters: Readonly<Record<FileInput['type'], () => Promise<Converter>>> = {
  text: async () => (await import('./convert-text.ts')).convertPlainText,
  csv: async () => (await import('./convert-csv.ts')).convertCsv,
  excel: async () => (await import('./convert-excel.ts')).convertExcel,
  word: async () => (await import('./convert-word.ts')).convertWord,
  powerpoint: async () => (await import('./convert-powerpoint.ts')).convertPowerpoint,
  pdf: async () => (await import('./convert-pdf.ts')).convertPdf,
  image: async () => (await import('./convert-image.ts')).convertImage,
};

/** The document as Markdown, or why it cannot be read. Never rejects; an extraction without any text is a problem. */
export async function convertDocument(bytes: Buffer, request: ConversionRequest): Promise<Conversion> {
  try {
    if (bytes.length === 0) throw new DocumentProblem('empty', 'the file is empty');
    const convert = await converters[request.type]();
    const { markdown, facts } = await convert(bytes, request);
    const fitted = fitMarkdown(markdown);
    if (!/\S/.test(fitted.text)) throw new DocumentProblem('empty', 'the file has no text in it');
    return { ok: true, markdown: fitted.text, facts: { ...facts, ...(fitted.isCut ? { truncated: true } : {}) } };
  } catch (error) {
    if (error instanceof DocumentProblem) return { ok: false, code: error.code, message: error.message };
    const reason = error instanceof Error ? error.message : String(error);
    const what = isOurFault(error) ? `files of type ${request.type} cannot be read here` : 'the file is broken';
    return { ok: false, code: 'unreadable', message: `${what}: ${reason.slice(0, 200)}` };
  }
}

/** A reader that could not be loaded says nothing about the file. */
function isOurFault(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^ERR_(?:ACCESS|MODULE|LOAD)/.test(String(error.code));
}
