import { type Document, isMap, LineCounter, parseDocument, type YAMLMap } from 'yaml';
import type { Position } from '../definitions/loaded.ts';
import type { Finding } from './finding.ts';
import { placeOfPath, type TreeOfFile } from './place-of-path.ts';
import type { ProblemList } from './problem-list.ts';
import { type Refuse, readTree } from './read-tree.ts';
import { readSourceText } from './source-text.ts';
import { describeSyntaxError, jsonSyntaxError } from './syntax-errors.ts';

/** A file as plain data, with a way back from a path to its line. */
export interface SourceDocument {
  path: string;
  text: string;
  value: Record<string, unknown>;
  place: (finding: Pick<Finding, 'path' | 'at'>) => Position;
}

/**
 * Reads one definition file, YAML or JSON, into plain data. Undefined when it is not a single well-formed object;
 * the reasons are then in `problems`. Nothing of the file is interpreted before size, text and tree are checked.
 */
export function parseSource(
  path: string,
  content: string | Uint8Array,
  problems: ProblemList,
): SourceDocument | undefined {
  const source = readSourceText(content);
  if (!source.ok) {
    const { code, message, hint } = source;
    const text = typeof content === 'string' ? content : '';
    problems.add({
      code,
      file: path,
      ...positionAt(lineStartsOf(text), source.offset),
      path: '',
      message,
      ...(hint === undefined ? {} : { hint }),
    });
    return undefined;
  }
  const { text } = source;
  const lineStarts = lineStartsOf(text);
  const refuse: Refuse = (offset, finding, related) => {
    const first = related === undefined ? '' : `, first on line ${positionAt(lineStarts, related).line}`;
    problems.addFindings(path, [{ ...finding, message: finding.message + first }], () =>
      positionAt(lineStarts, offset),
    );
  };

  const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false, version: '1.2', schema: 'core' });
  for (const error of document.errors.slice(0, 20)) refuse(error.pos[0], describeSyntaxError(error));
  if (document.errors.length > 0) return undefined;
  const root = rootObject(document, refuse);
  if (root === undefined) return undefined;
  if (path.endsWith('.json')) {
    const broken = jsonSyntaxError(text, root);
    if (broken !== undefined) {
      refuse(broken.offset, broken.finding);
      return undefined;
    }
  }
  const tree = readTree(root, refuse);
  if (tree === undefined) return undefined;
  const file: TreeOfFile = { root, aliases: tree.aliases };
  const place = (finding: Pick<Finding, 'path' | 'at'>): Position =>
    positionAt(lineStarts, placeOfPath(file, finding.path, finding.at ?? 'value'));
  return { path, text, value: tree.value, place };
}

function rootObject(document: Document.Parsed, refuse: Refuse): YAMLMap.Parsed | undefined {
  const version = document.directives.yaml;
  if (version.explicit === true && version.version !== '1.2') {
    refuse(0, {
      path: [],
      code: 'parse_error',
      message: `YAML ${version.version} is not supported, write YAML 1.2 without a %YAML line`,
    });
    return undefined;
  }
  const root = document.contents;
  if (root === null || (root.range[1] === root.range[0] && !isMap(root))) {
    refuse(0, {
      path: [],
      code: 'required',
      message: 'the file is empty',
      hint: 'Run `proofmark init` for a suite to start from.',
    });
    return undefined;
  }
  if (!isMap(root)) {
    refuse(root.range[0], {
      path: [],
      code: 'invalid_type',
      message: 'the file must be an object (keys with values), not a list or a single value',
    });
    return undefined;
  }
  return root;
}

function lineStartsOf(text: string): LineCounter {
  const counter = new LineCounter();
  counter.addNewLine(0);
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) counter.addNewLine(at + 1);
  return counter;
}

function positionAt(lineStarts: LineCounter, offset: number): Position {
  const { line, col } = lineStarts.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}
