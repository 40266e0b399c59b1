import { posix } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { DocumentProblem } from './conversion.ts';
import { readXml } from './read-xml.ts';

/** A reference of one part to another, or to somewhere outside, which is never followed. */
export interface Relationship {
  type: string;
  target: string;
  isExternal: boolean;
}

const roots = { excel: 'workbook', word: 'document', powerpoint: 'presentation' } as const;
type OfficeType = keyof typeof roots;

/** The parts of a docx, xlsx or pptx file, and how they refer to each other. */
export class OfficePackage {
  readonly #zip: ZipArchive;
  /** The name of the part where reading starts. */
  readonly main: string;

  constructor(bytes: Buffer, type: OfficeType) {
    refuseOtherFormats(bytes, type);
    this.#zip = new ZipArchive(bytes);
    const main = [...this.relationships('').values()].find((relationship) => relationship.type === 'officeDocument');
    // The binary workbook of Excel has another root, which is no XML.
    if (!main || main.target.endsWith('.bin')) throw mismatch(type);
    this.main = main.target;
    if (rootOf(this.part(this.main)) !== roots[type]) throw mismatch(type);
  }

  part(name: string): Buffer {
    const bytes = this.#zip.read(name);
    if (!bytes) throw new DocumentProblem('unreadable', 'the file is broken: one of its parts is missing');
    return bytes;
  }

  partIfAny(name: string | undefined): Buffer | undefined {
    return name === undefined ? undefined : this.#zip.read(name);
  }

  /** What this part refers to, by id. The empty name is the package itself. */
  relationships(partName: string): Map<string, Relationship> {
    const folder = posix.dirname(partName);
    const bytes = this.#zip.read(posix.join(folder, '_rels', `${posix.basename(partName)}.rels`));
    const found = new Map<string, Relationship>();
    if (!bytes) return found;
    readXml(bytes, {
      open: ({ name, attributes }) => {
        const id = attributes.get('Id');
        if (name !== 'Relationship' || id === undefined) return;
        const isExternal = attributes.get('TargetMode') === 'External';
        const target = attributes.get('Target') ?? '';
        const type = (attributes.get('Type') ?? '').split('/').at(-1) ?? '';
        found.set(id, { type, isExternal, target: isExternal ? target : inPackage(folder, target) });
      },
    });
    return found;
  }

  /** The one part of this type that a part refers to. */
  related(partName: string, type: string): string | undefined {
    return [...this.relationships(partName).values()].find((one) => one.type === type && !one.isExternal)?.target;
  }
}

function rootOf(bytes: Buffer): string | undefined {
  let root: string | undefined;
  readXml(bytes, {
    open: ({ name }) => {
      root ??= name;
      return false;
    },
    isDone: () => root !== undefined,
  });
  return root;
}

/** Targets are relative to the folder of the part, or absolute in the package. */
function inPackage(folder: string, target: string): string {
  return posix.join('/', target.startsWith('/') ? '' : folder, target).slice(1);
}

function refuseOtherFormats(bytes: Buffer, type: OfficeType): void {
  if (bytes.subarray(0, 4).equals(Buffer.from('d0cf11e0', 'hex')))
    throw new DocumentProblem('encrypted', 'the file is protected by a password or in the old binary format');
  if (!bytes.subarray(0, 2).equals(Buffer.from('PK'))) throw mismatch(type);
}

function mismatch(type: OfficeType): DocumentProblem {
  const format = {
    excel: 'an Excel workbook (xlsx)',
    word: 'a Word document (docx)',
    powerpoint: 'a PowerPoint file (pptx)',
  };
  return new DocumentProblem('type_mismatch', `the file is not ${format[type]}`);
}

const mostEntries = 2_000;
const mostInflated = 50 * 1024 * 1024;
const freeOfRatio = 1024 * 1024;
const mostRatio = 100;

interface ZipEntry {
  method: number;
  compressed: number;
  inflated: number;
  offset: number;
}

/**
 * The entries of an archive by name, inflated one by one when they are read. Names are keys and never paths; what is
 * inflated is counted while it is inflated, whatever the headers promise. Archives inside are never opened.
 */
export class ZipArchive {
  readonly #bytes: Buffer;
  readonly #entries: ReadonlyMap<string, ZipEntry>;
  #left = mostInflated;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#entries = readDirectory(bytes);
  }

  /** The content of an entry, or undefined when there is none of this name. */
  read(name: string): Buffer | undefined {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    const data = this.#compressed(entry);
    const content = entry.method === 0 ? data : this.#inflate(data);
    this.#left -= content.length;
    if (this.#left < 0) throw tooLarge();
    return content;
  }

  #compressed({ offset, compressed }: ZipEntry): Buffer {
    if (offset + 30 > this.#bytes.length || this.#bytes.readUInt32LE(offset) !== 0x04034b50) throw broken();
    const start = offset + 30 + this.#bytes.readUInt16LE(offset + 26) + this.#bytes.readUInt16LE(offset + 28);
    if (start + compressed > this.#bytes.length) throw broken();
    return this.#bytes.subarray(start, start + compressed);
  }

  #inflate(data: Buffer): Buffer {
    const allowed = Math.min(this.#left, Math.max(freeOfRatio, data.length * mostRatio));
    try {
      return inflateRawSync(data, { maxOutputLength: Math.max(1, allowed) });
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
      throw broken();
    }
  }
}

function readDirectory(bytes: Buffer): Map<string, ZipEntry> {
  const end = endOfDirectory(bytes);
  const count = bytes.readUInt16LE(end + 10);
  if (count > mostEntries)
    throw new DocumentProblem('too_large', `the archive has ${count} entries, limit ${mostEntries}`);
  const entries = new Map<string, ZipEntry>();
  let at = bytes.readUInt32LE(end + 16);
  let promised = 0;
  for (let index = 0; index < count; index += 1) {
    const { name, entry, next } = readEntry(bytes, at);
    if (entries.has(name)) throw broken();
    entries.set(name, entry);
    promised += entry.inflated;
    if (promised > mostInflated || isBomb(entry)) throw tooLarge();
    at = next;
  }
  return entries;
}

/** Searched from the back: a comment of up to 64 KB may follow it. */
function endOfDirectory(bytes: Buffer): number {
  const at = bytes.lastIndexOf(Buffer.from('504b0506', 'hex'));
  if (at === -1 || at + 22 > bytes.length) throw broken();
  return at;
}

function readEntry(bytes: Buffer, at: number): { name: string; entry: ZipEntry; next: number } {
  if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== 0x02014b50) throw broken();
  const method = bytes.readUInt16LE(at + 10);
  if ((bytes.readUInt16LE(at + 8) & 1) === 1)
    throw new DocumentProblem('encrypted', 'the file is protected by a password');
  if (method !== 0 && method !== 8)
    throw new DocumentProblem('unreadable', `compression method ${method} is not supported`);
  const nameLength = bytes.readUInt16LE(at + 28);
  const next = at + 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  return {
    name: bytes.toString('utf8', at + 46, at + 46 + nameLength),
    entry: {
      method,
      compressed: bytes.readUInt32LE(at + 20),
      inflated: bytes.readUInt32LE(at + 24),
      offset: bytes.readUInt32LE(at + 42),
    },
    next,
  };
}

const isBomb = ({ inflated, compressed }: ZipEntry): boolean =>
  inflated > freeOfRatio && inflated > compressed * mostRatio;

const broken = (): DocumentProblem => new DocumentProblem('unreadable', 'the file is a broken archive');
const tooLarge = (): DocumentProblem =>
  new DocumentProblem('too_large', 'the file inflates to more than 50 MB, or more than a hundredfold');
