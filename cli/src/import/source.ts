import { isNode, LineCounter, parseDocument } from 'yaml';

export type Path = readonly (string | number)[];

/** A value out of a file of another tool, with the way to its line. */
export interface Source {
  file: string;
  value: unknown;
  lineOf: (path: Path) => number;
}

/** Something that is not translated, at its place. */
export interface Remark {
  file: string;
  line: number;
  path: string;
  message: string;
}

export type ReadSource = { ok: true; source: Source } | { ok: false; message: string };

/** Reads YAML or JSON. The line of a path is that of its nearest part that is there. */
export function readSource(file: string, text: string): ReadSource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) return { ok: false, message: `${file}: ${error.message.split('\n')[0]}` };
  const lineOf = (path: Path): number => {
    for (let length = path.length; length > 0; length -= 1) {
      const node = document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
    }
    return 1;
  };
  // Aliases may repeat what they name only so often: a small file cannot become a huge value.
  return { ok: true, source: { file, value: document.toJS({ maxAliasCount: 100 }), lineOf } };
}

/** Collects what is not translated. */
export interface Remarks {
  all: Remark[];
  add: (source: Source, path: Path, message: string) => void;
}

export function collectRemarks(): Remarks {
  const all: Remark[] = [];
  return {
    all,
    add: (source, path, message) => {
      all.push({ file: source.file, line: source.lineOf(path), path: path.join('.'), message });
    },
  };
}
