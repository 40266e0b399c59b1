import { Composer, type CST, type Document, Lexer, Parser } from 'yaml';

/** Nothing that a person writes opens this many brackets or list items at once; the tree's own limit is lower. */
const MAX_OPEN = 256;
/** Further syntax errors say nothing new and cost time and memory. */
const MAX_ERRORS = 50;

export type ComposedDocument =
  | { kind: 'document'; document: Document.Parsed }
  | { kind: 'several' | 'too-deep'; offset: number };

/**
 * Reads text as one YAML 1.2 document. Drives the reader piece by piece, so that a file of nothing but brackets or
 * errors is given up early instead of growing in memory.
 */
export function composeDocument(text: string): ComposedDocument {
  const depth = new OpenPieces();
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, version: '1.2', schema: 'core' });
  let first: Document.Parsed | undefined;
  for (const document of composer.compose(tokensOf(text, depth), true, text.length)) {
    if (depth.tooDeepAt !== undefined) return { kind: 'too-deep', offset: depth.tooDeepAt };
    if (first !== undefined) return { kind: 'several', offset: document.range[0] };
    // A document is a mapping or list, possibly with errors: its type depends on what the text holds.
    first = document as Document.Parsed;
  }
  if (first === undefined) throw new Error('The YAML reader made no document of a text');
  return { kind: 'document', document: first };
}

function* tokensOf(text: string, depth: OpenPieces): Generator<CST.Token, void> {
  const parser = new Parser();
  let errors = 0;
  for (const piece of new Lexer().lex(text)) {
    if (depth.isTooDeep(piece, parser.offset)) return;
    for (const token of parser.next(piece)) {
      if (token.type === 'error') errors += 1;
      if (errors > MAX_ERRORS) return;
      yield token;
    }
  }
  yield* parser.end();
}

/** Counts brackets that are open and list items that start inside each other on one line. */
class OpenPieces {
  tooDeepAt: number | undefined;
  #brackets = 0;
  #indicators = 0;

  isTooDeep(piece: string, offset: number): boolean {
    if (piece === '[' || piece === '{') this.#brackets += 1;
    else if (piece === ']' || piece === '}') this.#brackets = Math.max(0, this.#brackets - 1);
    if (piece === '-' || piece === '?') this.#indicators += 1;
    else if (piece !== ' ') this.#indicators = 0;
    if (this.#brackets <= MAX_OPEN && this.#indicators <= MAX_OPEN) return false;
    this.tooDeepAt = offset;
    return true;
  }
}
