import { DocumentProblem } from './document-problem.ts';

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
