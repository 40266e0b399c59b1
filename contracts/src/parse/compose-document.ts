import {
  Composer,
  type CST,
  type Document,
  isMap,
  isPair,
  isSeq,
  Lexer,
  type Node,
  Parser,
  visit,
  type YAMLParseError,
} from 'yaml';
import { parseJson } from '../identity/parse-json.ts';
import type { Finding } from './finding.ts';

/** Nothing that a person writes opens this many brackets or list items at once; the tree's own limit is lower. */
const MAX_OPEN = 256;
/** Further syntax errors say nothing new and cost time and memory. */
const MAX_ERRORS = 50;

type ComposedDocument =
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

export const severalDocuments: Finding = {
  path: [],
  code: 'parse_error',
  message: 'more than one document in the file',
  hint: 'Remove the `---` line, or move the second document to its own file.',
};

export const tooDeep: Finding = { path: [], code: 'limit', message: 'nested too deeply' };

type Words = Pick<Finding, 'message' | 'hint'>;

const wordsOf = new Map<YAMLParseError['code'], (error: YAMLParseError) => Words>([
  ['TAB_AS_INDENT', () => ({ message: 'a tab is used for indentation', hint: 'Indent with spaces.' })],
  ['MISSING_CHAR', unclosed],
  ['BAD_INDENT', unclosed],
  ['TAG_RESOLVE_FAILED', ({ message }) => ({ message: `tag not supported: ${message}` })],
  ['BAD_SCALAR_START', ({ message }) => ({ message, hint: 'Put the value in quotes.' })],
  ['BLOCK_AS_IMPLICIT_KEY', ({ message }) => ({ message, hint: colonHint })],
  ['MULTILINE_IMPLICIT_KEY', ({ message }) => ({ message, hint: colonHint })],
]);

/** Something that was opened and not closed is only missed where the file, or what it stands in, ends. */
function unclosed({ message }: YAMLParseError): Words {
  const quote = /^Missing closing (["'])/.exec(message)?.[1];
  if (quote !== undefined) return { message: `a text that begins with ${quote} never ends`, hint: 'Close the quotes.' };
  const bracket = /^Flow .* end with a ([\]}])$/.exec(message)?.[1];
  if (bracket === undefined) return { message };
  const open = bracket === ']' ? '[' : '{';
  return {
    message: `an opened ${open} is not closed before this line`,
    hint: `Write the missing ${bracket}; lines between ${open} and ${bracket} are indented.`,
  };
}

const colonHint = 'Put a text that contains `: ` in quotes, or check the indentation.';

/** What a syntax error of the YAML reader means to the person who wrote the file. */
export function describeSyntaxError(error: YAMLParseError): Finding {
  // The reader recurses; running out of stack is how it says that a file is nested too deeply.
  if (error.code === 'RESOURCE_EXHAUSTION') return tooDeep;
  const words = wordsOf.get(error.code)?.(error) ?? { message: error.message };
  return { path: [], code: 'parse_error', ...words };
}

/** What makes a `.json` file no JSON although the more tolerant YAML reader accepts it; undefined when nothing does. */
export function jsonSyntaxError(text: string, root: Node): { offset: number; finding: Finding } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // Where the reader names no position, the first value that only YAML has, such as NaN, is what it stumbled over.
    const offset = Number(/position (\d+)/.exec(reason)?.[1] ?? firstYamlOnly(root));
    const key = enclosingKey(root, offset);
    const near = key === undefined ? '' : ` inside \`${key}\``;
    return {
      offset,
      finding: {
        path: [],
        code: 'parse_error',
        message: `not valid JSON${near}: ${reason.replace(/(?: in JSON at position|, \.{0,3}".*" is not valid JSON).*$/s, '')}`,
      },
    };
  }
}

function firstYamlOnly(root: Node): number {
  let offset: number | undefined;
  visit(root, {
    Scalar: (_, { type, source = '', range }) => {
      if (type === 'QUOTE_DOUBLE' || (type === 'PLAIN' && parseJson(source) !== undefined)) return undefined;
      offset = range?.[0];
      return visit.BREAK;
    },
  });
  return offset ?? 0;
}

function enclosingKey(root: Node, offset: number): string | undefined {
  let node: unknown = root;
  let key: string | undefined;
  for (let depth = 0; depth < 64; depth += 1) {
    const next: unknown =
      isMap(node) || isSeq(node)
        ? node.items.find((item) => covers(isPair(item) ? item.value : item, offset))
        : undefined;
    if (next === undefined) return key;
    if (isPair(next)) key = String(next.key);
    node = isPair(next) ? next.value : next;
  }
  return key;
}

function covers(node: unknown, offset: number): boolean {
  if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range)) return false;
  const [start, , end]: unknown[] = node.range;
  return typeof start === 'number' && typeof end === 'number' && start <= offset && offset <= end;
}
