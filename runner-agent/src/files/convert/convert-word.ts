import type { Converter } from './conversion.ts';
import { markdownTable } from './fit-markdown.ts';
import { OfficePackage, type Relationship } from './office-package.ts';
import { readXml, type XmlTag, type XmlVisitor } from './read-xml.ts';

/** Headings, paragraphs, lists, tables and links in their order. Deleted text, notes and pictures are left out. */
export const convertWord: Converter = (bytes) => {
  const file = new OfficePackage(bytes, 'word');
  const text = new WordText({
    headings: readHeadings(file.partIfAny(file.related(file.main, 'styles'))),
    numbered: readNumberedLists(file.partIfAny(file.related(file.main, 'numbering'))),
    links: file.relationships(file.main),
  });
  readXml(file.part(file.main), text);
  return { markdown: text.markdown, facts: { format: 'docx' } };
};

/** The level of every paragraph style that is a heading, by the id of the style; names differ between languages, these do not. */
export function readHeadings(bytes: Buffer | undefined): Map<string, number> {
  const levels = new Map<string, number>();
  let style = '';
  if (!bytes) return levels;
  readXml(bytes, {
    open: ({ name, attributes }) => {
      if (name === 'style') style = attributes.get('styleId') ?? '';
      const level = levelOf(name, attributes.get('val') ?? '');
      if (level >= 1 && level <= 9 && !levels.has(style)) levels.set(style, Math.min(level, 6));
      return undefined;
    },
  });
  return levels;
}

/** 0: no heading. */
function levelOf(element: string, value: string): number {
  if (element === 'outlineLvl') return Number(value) + 1;
  if (element !== 'name') return 0;
  return /^title$/i.test(value) ? 1 : Number(/^heading (\d)$/i.exec(value)?.[1] ?? 0);
}

/** Lists whose first level counts, by id; the others have bullets. */
export function readNumberedLists(bytes: Buffer | undefined): Set<string> {
  const countingForms = new Set<string>();
  const numbered = new Set<string>();
  let form = '';
  let list = '';
  let isFirstLevel = false;
  if (!bytes) return numbered;
  const openers = new Map<string, (attribute: (name: string) => string) => void>([
    ['abstractNum', (attribute) => (form = attribute('abstractNumId'))],
    ['lvl', (attribute) => (isFirstLevel = attribute('ilvl') === '0')],
    ['num', (attribute) => (list = attribute('numId'))],
    ['abstractNumId', (attribute) => countingForms.has(attribute('val')) && numbered.add(list)],
    [
      'numFmt',
      (attribute) => isFirstLevel && !['bullet', 'none'].includes(attribute('val')) && countingForms.add(form),
    ],
  ]);
  readXml(bytes, {
    open: ({ name, attributes }) => {
      openers.get(name)?.((attribute) => attributes.get(attribute) ?? '');
      return undefined;
    },
  });
  return numbered;
}

export interface WordStyles {
  headings: ReadonlyMap<string, number>;
  numbered: ReadonlySet<string>;
  links: ReadonlyMap<string, Relationship>;
}

interface Paragraph {
  text: string;
  heading: number | undefined;
  list: { id: string; level: number } | undefined;
}

/** As many as Word allows. */
const mostColumns = 63;

interface Table {
  rows: string[][];
  /** Paragraphs of the cell that is being read. */
  cell: string[];
  /** How many columns it covers. */
  span: number;
}

/** A fallback repeats what stands beside it for older programs; properties of a section say nothing. */
const skipped: ReadonlySet<string> = new Set(['Fallback', 'del', 'moveFrom', 'delText', 'instrText', 'sectPr', 'rPr']);

/** Collects the body of a Word document as Markdown while its XML is read. */
export class WordText implements XmlVisitor {
  readonly #styles: WordStyles;
  readonly #blocks: string[] = [];
  readonly #tables: Table[] = [];
  /** Text boxes put paragraphs into paragraphs. */
  readonly #paragraphs: Paragraph[] = [];
  #link: { target: string; from: number } | undefined;
  #isText = false;

  constructor(styles: WordStyles) {
    this.#styles = styles;
  }

  get markdown(): string {
    return this.#blocks.join('\n\n').replaceAll(/(?<=^ *(?:-|1\.) .*)\n\n(?= *(?:-|1\.) )/gm, '\n');
  }

  open = ({ name, attributes }: XmlTag): boolean | undefined => {
    if (skipped.has(name)) return false;
    this.#isText = name === 't';
    this.#openers.get(name)?.(attributes);
    return undefined;
  };

  text = (text: string): void => {
    if (this.#isText) this.#write(text);
  };

  close = (name: string): void => {
    this.#isText = false;
    this.#closers.get(name)?.();
  };

  readonly #openers = new Map<string, (attributes: XmlTag['attributes']) => void>([
    ['p', () => this.#paragraphs.push({ text: '', heading: undefined, list: undefined })],
    ['pStyle', (attributes) => this.#style({ heading: this.#styles.headings.get(attributes.get('val') ?? '') })],
    ['outlineLvl', (attributes) => this.#style({ heading: headingOf(attributes.get('val')) })],
    ['ilvl', (attributes) => this.#list({ level: Number(attributes.get('val') ?? 0) })],
    ['numId', (attributes) => this.#list({ id: attributes.get('val') ?? '' })],
    ['tab', () => this.#write(' ')],
    ['br', () => this.#write('\n')],
    ['cr', () => this.#write('\n')],
    ['noBreakHyphen', () => this.#write('-')],
    ['hyperlink', (attributes) => this.#startLink(attributes.get('id'))],
    ['tbl', () => this.#tables.push({ rows: [], cell: [], span: 1 })],
    ['tr', () => this.#tables.at(-1)?.rows.push([])],
    ['tc', () => this.#startCell()],
    ['gridSpan', (attributes) => this.#spanColumns(Number(attributes.get('val')))],
  ]);

  readonly #closers = new Map<string, () => void>([
    ['p', () => this.#endParagraph()],
    ['hyperlink', () => this.#endLink()],
    ['tc', () => this.#endCell()],
    ['tbl', () => this.#endTable()],
  ]);

  #write(text: string): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph) paragraph.text += text;
  }

  #style({ heading }: Pick<Paragraph, 'heading'>): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph) paragraph.heading ??= heading;
  }

  #list(given: Partial<NonNullable<Paragraph['list']>>): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph) paragraph.list = { id: '', level: 0, ...paragraph.list, ...given };
  }

  #startLink(id: string | undefined): void {
    const link = id === undefined ? undefined : this.#styles.links.get(id);
    const isShown = link?.isExternal === true && /^(?:https?|mailto):/i.test(link.target);
    this.#link = isShown ? { target: link.target, from: this.#paragraphs.at(-1)?.text.length ?? 0 } : undefined;
  }

  #endLink(): void {
    const paragraph = this.#paragraphs.at(-1);
    if (this.#link && paragraph) {
      const { target, from } = this.#link;
      const words = paragraph.text.slice(from);
      if (words.trim() !== '')
        paragraph.text = `${paragraph.text.slice(0, from)}[${words}](${encodeURI(decoded(target))})`;
    }
    this.#link = undefined;
  }

  #endParagraph(): void {
    const paragraph = this.#paragraphs.pop();
    if (!paragraph || paragraph.text.trim() === '') return;
    this.#add(this.#asMarkdown(paragraph));
  }

  #asMarkdown({ text, heading, list }: Paragraph): string {
    const words = text.trim();
    if (heading !== undefined) return `${'#'.repeat(heading)} ${words.replaceAll('\n', ' ')}`;
    // Id 0 takes a paragraph out of the list that its style puts it into.
    if (list === undefined || list.id === '' || list.id === '0') return words;
    const mark = this.#styles.numbered.has(list.id) ? '1.' : '-';
    // Three spaces are what an item of either kind needs to be one of the item above it.
    return `${'   '.repeat(Math.min(8, Math.max(0, list.level)))}${mark} ${words.replaceAll('\n', ' ')}`;
  }

  #startCell(): void {
    const table = this.#tables.at(-1);
    if (table) Object.assign(table, { cell: [], span: 1 });
  }

  #spanColumns(columns: number): void {
    const table = this.#tables.at(-1);
    if (table && columns > 1) table.span = Math.min(columns, mostColumns);
  }

  #endCell(): void {
    const table = this.#tables.at(-1);
    if (!table) return;
    // What it covers stays empty, or the cells behind it would stand under the wrong heads.
    const covered = Array.from({ length: table.span - 1 }, () => '');
    table.rows.at(-1)?.push(table.cell.join(' '), ...covered);
  }

  #endTable(): void {
    const table = this.#tables.pop();
    const rows = table?.rows.filter((row) => row.some((cell) => cell !== '')) ?? [];
    if (rows.length === 0) return;
    // A table in a cell has no place in Markdown, so its cells follow each other there.
    this.#add(this.#tables.length > 0 ? rows.map((row) => row.join(', ')).join('; ') : markdownTable(rows));
  }

  /** Into the cell that is being read, else into the document. */
  #add(block: string): void {
    const table = this.#tables.at(-1);
    if (table) table.cell.push(block);
    else this.#blocks.push(block);
  }
}

function headingOf(outline: string | undefined): number | undefined {
  const level = Number(outline ?? 9) + 1;
  return level >= 1 && level <= 9 ? Math.min(level, 6) : undefined;
}

function decoded(target: string): string {
  try {
    return decodeURI(target);
  } catch {
    // Not encoded as a whole, so it is encoded as it is.
    return target;
  }
}
