import { isMap, isPair, isSeq, type Node, type YAMLParseError } from 'yaml';
import type { Finding } from './finding.ts';

/** What a syntax error of the YAML reader means to the person who wrote the file. */
export function describeSyntaxError(error: YAMLParseError): Finding {
  const parseError = (message: string, hint?: string): Finding => ({
    path: [],
    code: 'parse_error',
    message,
    ...(hint === undefined ? {} : { hint }),
  });
  switch (error.code) {
    case 'TAB_AS_INDENT':
      return parseError('a tab is used for indentation', 'Indent with spaces.');
    case 'MULTIPLE_DOCS':
      return parseError(
        'more than one document in the file',
        'Remove the `---` line, or move the second document to its own file.',
      );
    case 'MISSING_CHAR':
      return parseError(
        error.message.includes('quote') ? `an open quote is never closed: ${error.message}` : error.message,
      );
    case 'RESOURCE_EXHAUSTION':
      return { path: [], code: 'limit', message: 'nested too deeply' };
    case 'TAG_RESOLVE_FAILED':
      return parseError(`tag not supported: ${error.message}`);
    case 'BAD_SCALAR_START':
      return parseError(error.message, 'Put the value in quotes.');
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY':
      return parseError(error.message, 'Put a text that contains `: ` in quotes, or check the indentation.');
    default:
      return parseError(error.message);
  }
}

/** What makes a `.json` file no JSON although the more tolerant YAML reader accepts it; undefined when nothing does. */
export function jsonSyntaxError(text: string, root: Node): { offset: number; finding: Finding } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const offset = Number(/position (\d+)/.exec(reason)?.[1] ?? 0);
    const key = enclosingKey(root, offset);
    const near = key === undefined ? '' : ` inside \`${key}\``;
    return {
      offset,
      finding: {
        path: [],
        code: 'parse_error',
        message: `not valid JSON${near}: ${reason.replace(/ in JSON at position.*$/s, '')}`,
      },
    };
  }
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
