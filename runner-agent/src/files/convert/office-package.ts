import { posix } from 'node:path';
import { DocumentProblem } from './document-problem.ts';
import { readXml } from './read-xml.ts';
import { ZipArchive } from './zip-archive.ts';

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
