export type DocumentCode = 'type_mismatch' | 'empty' | 'encrypted' | 'too_large' | 'not_found' | 'unreadable';

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
