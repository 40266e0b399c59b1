import type { FileInput } from '@proofmark/contracts/test-case';
import type { DocumentCode } from './document-problem.ts';

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
