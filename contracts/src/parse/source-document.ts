import { type Document, isMap, LineCounter, type YAMLMap } from 'yaml';
import type { DefinitionSource, Position } from '../definitions/loaded.ts';
import { noSuchFile } from '../definitions/near-match.ts';
import {
  composeDocument,
  describeSyntaxError,
  jsonSyntaxError,
  severalDocuments,
  tooDeep,
} from './compose-document.ts';
import type { Finding, Path, ProblemList } from './finding.ts';
import { readJson } from './read-json.ts';
import { placeOfPath, type Refuse, readTree, type TreeOfFile } from './read-tree.ts';
import { readUsualYaml } from './read-usual-yaml.ts';
import { readSourceText } from './source-text.ts';

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
  const text = source.ok ? source.text : typeof content === 'string' ? content : '';
  const lineStarts = lineStartsOf(text);
  const refuse: Refuse = (offset, finding, related) => {
    const first = related === undefined ? '' : `, first on line ${positionAt(lineStarts, related).line}`;
    problems.addFindings(path, [{ ...finding, message: finding.message + first }], () =>
      positionAt(lineStarts, offset),
    );
    return undefined;
  };
  if (!source.ok) {
    const { code, message, hint, offset } = source;
    return refuse(offset, { path: [], code, message, ...(hint === undefined ? {} : { hint }) });
  }
  const usual = path.endsWith('.json') ? readJson(text) : readUsualYaml(text);
  if (usual !== undefined) {
    const place: SourceDocument['place'] = ({ path: keys, at = 'value' }) =>
      positionAt(lineStarts, usual.placeOfPath(keys, at));
    return { path, text, value: usual.value, place };
  }
  const root = parseRoot(text, path, refuse);
  const tree = root === undefined ? undefined : readTree(root, refuse);
  if (root === undefined || tree === undefined) return undefined;
  const file: TreeOfFile = { root, aliases: tree.aliases };
  return {
    path,
    text,
    value: tree.value,
    place: ({ path: keys, at = 'value' }) => positionAt(lineStarts, placeOfPath(file, keys, at)),
  };
}

/** The mapping that the text is, or undefined with the reasons reported. */
function parseRoot(text: string, path: string, refuse: Refuse): YAMLMap.Parsed | undefined {
  const composed = composeDocument(text);
  if (composed.kind !== 'document') {
    return refuse(composed.offset, composed.kind === 'several' ? severalDocuments : tooDeep);
  }
  const { document } = composed;
  for (const error of document.errors.slice(0, 20)) refuse(error.pos[0], describeSyntaxError(error));
  const root = document.errors.length > 0 ? undefined : rootObject(document, refuse);
  if (root === undefined || !path.endsWith('.json')) return root;
  const broken = jsonSyntaxError(text, root);
  return broken === undefined ? root : refuse(broken.offset, broken.finding);
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

/** A part of a file: where its findings are reported. */
export interface Located {
  document: SourceDocument;
  base: Path;
  /** Where in the file a path of the part stands, when wrong entries of its lists were left out. */
  restore?: (path: Path) => Path;
  /**
   * Of a part that two files make together: where each of its findings is told, at the part itself unless another place is
   * given. Undefined for one that was told before.
   */
  tellAt?: (finding: Finding) => { finding: Finding; located?: Located } | undefined;
}

/** Reports findings of one part of a file, whose paths start at that part. Returns undefined, as what was refused is. */
export function reportAt(problems: ProblemList, located: Located, findings: readonly Finding[]): undefined {
  const { document, base, restore = (path) => path, tellAt } = located;
  if (tellAt !== undefined) return reportApart(problems, located, findings);
  const placed = findings.map((finding) => ({ ...finding, path: [...base, ...restore(finding.path)] }));
  problems.addFindings(document.path, placed, document.place);
}

function reportApart(problems: ProblemList, { tellAt, ...here }: Located, findings: readonly Finding[]): undefined {
  const { restore = (path) => path } = here;
  for (const finding of findings) {
    const told = tellAt?.({ ...finding, path: restore(finding.path) });
    if (told !== undefined) reportAt(problems, told.located ?? { ...here, restore: (path) => path }, [told.finding]);
  }
}

export const within = ({ document, base }: Located, path: Path): Located => ({ document, base: [...base, ...path] });

/** A file that some other file names, as a document; its absence is reported where it is named. */
export function readReferenced(
  { source, problems }: { source: DefinitionSource; problems: ProblemList },
  path: string,
  reportMissing: (finding: Omit<Finding, 'path'>) => void,
): SourceDocument | undefined {
  const content = source.read(path);
  if (content === undefined) {
    reportMissing({ code: 'not_found', message: noSuchFile(path, source.paths?.()) });
    return undefined;
  }
  return parseSource(path, content, problems);
}
