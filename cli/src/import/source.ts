import { readFileSync, realpathSync, statSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { matchesPattern } from '@proofmark/contracts/path-pattern';
import { walkRepository } from '@proofmark/embedded/find-suites';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';

export type SourcePath = readonly (string | number)[];

/** A value out of a file of another tool, with the way to its line. */
export interface Source {
  file: string;
  value: unknown;
  lineOf: (path: SourcePath) => number;
}

/** Something that is not translated, at its place. */
export interface Untranslated {
  file: string;
  line: number;
  path: string;
  message: string;
  /** Lost is what changes answers or verdicts; what is only about how the other tool keeps house is a note. */
  kind: 'lost' | 'note';
}

type ReadSource = { ok: true; source: Source } | { ok: false; message: string };

/** Reads YAML or JSON. The line of a path is that of its nearest part that is there. */
export function readSource(file: string, text: string): ReadSource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: true });
  const [error] = document.errors;
  if (error?.code === 'MULTIPLE_DOCS')
    return { ok: false, message: `${file}: it holds several documents, parted by ---: give each a file of its own` };
  if (error !== undefined) return { ok: false, message: `${file}: ${error.message.split('\n')[0]}` };
  const lineOf = (path: SourcePath): number => {
    for (let length = path.length; length > 0; length -= 1) {
      const node = document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
    }
    return 1;
  };
  const read = readValue(document);
  return read.ok
    ? { ok: true, source: { file, value: read.value, lineOf } }
    : { ok: false, message: `${file}: ${read.message}` };
}

function readValue(document: Document.Parsed): { ok: true; value: unknown } | { ok: false; message: string } {
  try {
    // Aliases may repeat what they name only so often: a small file cannot become a huge value.
    return { ok: true, value: document.toJS({ maxAliasCount: 100 }) };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const isUnknown = error.message.startsWith('Unresolved alias');
    return { ok: false, message: isUnknown ? error.message : 'its aliases repeat too much' };
  }
}

/** Collects what is not translated. */
export interface Remarks {
  all: Untranslated[];
  add: (source: Source, path: SourcePath, message: string) => void;
  note: (source: Source, path: SourcePath, message: string) => void;
}

export function collectRemarks(): Remarks {
  const all: Untranslated[] = [];
  const collect =
    (kind: Untranslated['kind']): Remarks['add'] =>
    (source, path, message) => {
      const remark = { file: source.file, line: source.lineOf(path), path: path.join('.'), message, kind };
      // What stands once for many tests is told once.
      if (all.every((one) => one.message !== message || one.line !== remark.line || one.file !== remark.file))
        all.push(remark);
    };
  return { all, add: collect('lost'), note: collect('note') };
}

/** Text of a file that a configuration names, or why it is not taken over. */
type Beside = { ok: true; text: string } | { ok: false; reason: string };

/** Reads a file by its path from the folder of the configuration. */
export type ReadBeside = (path: string) => Beside;

const mostBytes = 1_000_000;

/** Reads texts by their paths from a folder. What lies outside of `root` is none of ours, wherever a link leads. */
export function readBesideFile(folder: string, root: string): ReadBeside {
  const realRoot = realpathSync(root);
  return (path) => {
    const place = resolve(folder, path);
    const stats = statSync(place, { throwIfNoEntry: false });
    if (stats === undefined) return refused('there is no such file');
    const inside = relative(realRoot, realpathSync(place));
    if (inside === '..' || inside.startsWith(`..${sep}`) || resolve(inside) === inside) {
      return refused('it lies outside of the repository');
    }
    if (!stats.isFile()) return refused('it is no file');
    if (stats.size > mostBytes) return refused('it is larger than 1 MB');
    return decodeText(readFileSync(place));
  };
}

function decodeText(bytes: Buffer): Beside {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? refused('it is no text') : { ok: true, text };
  } catch {
    // What is no UTF-8 is a picture, a sound or an old encoding: nothing that a question could be made of.
    return refused('it is no text');
  }
}

const refused = (reason: string): Beside => ({ ok: false, reason });

/** The files of a folder that fit a pattern, from it and sorted. */
export type ListBeside = (pattern: string) => string[];

export function listBesideFiles(folder: string): ListBeside {
  let files: readonly string[] | undefined;
  return (pattern) => {
    files ??= walkRepository(folder).files;
    return files.filter((file) => matchesPattern(file, pattern));
  };
}
