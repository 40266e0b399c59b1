import type { FileInput } from '@proofmark/contracts/test-case';

type DocumentCode = 'type_mismatch' | 'empty' | 'encrypted' | 'too_large' | 'not_found' | 'unreadable';

/**
 * Why a document cannot become text. Thrown deep inside parsers, because an event parser has no other way out, and made
 * a value again in `convertDocument`.
 */
export class DocumentProblem extends Error {
  override readonly name = 'DocumentProblem';
  readonly code: DocumentCode;

  constructor(code: DocumentCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** What a converter needs to know of a file input. */
export interface ConversionRequest extends Pick<FileInput, 'type' | 'description' | 'pages' | 'sheet' | 'range'> {
  /** Last part of the path or the URL; shown, and its ending tells HTML from other text. */
  name: string;
}

/** What a converter found beside the text. */
interface DocumentFacts {
  format: string;
  pages?: number;
  sheets?: string[];
  rows?: number;
  width?: number;
  height?: number;
  truncated?: true;
}

export interface Converted {
  markdown: string;
  facts: DocumentFacts;
}

export type Conversion = ({ ok: true } & Converted) | { ok: false; code: DocumentCode; message: string };

export type Converter = (bytes: Buffer, request: ConversionRequest) => Converted | Promise<Converted>;

/** The wanted pages in the order of the document, each once; all of them when none are named. */
export function chosenPages(wanted: readonly number[] | undefined, count: number, what: 'page' | 'slide'): number[] {
  if (wanted === undefined || wanted.length === 0) return Array.from({ length: count }, (_, index) => index + 1);
  const missing = wanted.find((number) => number > count);
  if (missing !== undefined) {
    const many = count === 1 ? `1 ${what}` : `${count} ${what}s`;
    throw new DocumentProblem('not_found', `there is no ${what} ${missing}: the file has ${many}`);
  }
  return [...new Set(wanted)].sort((a, b) => a - b);
}

/** What goes to the child: the length of the header, the header as JSON, the document. */
export function writeQuestion(request: ConversionRequest, bytes: Buffer): Buffer {
  const header = Buffer.from(JSON.stringify(request));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(header.length);
  return Buffer.concat([length, header, bytes]);
}

/** The same in the child, which trusts its parent. */
export function readQuestion(question: Buffer): { request: ConversionRequest; bytes: Buffer } {
  const end = 4 + question.readUInt32LE(0);
  const request: ConversionRequest = JSON.parse(question.toString('utf8', 4, end));
  return { request, bytes: question.subarray(end) };
}
