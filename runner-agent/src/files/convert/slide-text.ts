import { markdownTable } from './markdown-table.ts';
import type { XmlTag, XmlVisitor } from './read-xml.ts';

/** Placeholders that repeat on every page and say nothing. */
const furniture: ReadonlySet<string> = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg']);

/** Collects the text of one slide, or of its notes, shape by shape while its XML is read. */
export class SlideText implements XmlVisitor {
  readonly #blocks: string[] = [];
  #shape: string[] = [];
  #isFurniture = false;
  #paragraph: string | undefined;
  #rows: string[][] | undefined;
  #isText = false;

  get markdown(): string {
    return this.#blocks.join('\n\n');
  }

  open = ({ name, attributes }: XmlTag): boolean | undefined => {
    if (name === 'Fallback') return false;
    if (name === 'ph') this.#isFurniture = furniture.has(attributes.get('type') ?? '');
    if (name === 'sp') this.#shape = [];
    if (name === 'p') this.#paragraph = '';
    if (name === 'br' && this.#paragraph !== undefined) this.#paragraph += '\n';
    if (name === 'tbl') this.#rows = [];
    if (name === 'tr') this.#rows?.push([]);
    if (name === 'tc') this.#shape = [];
    this.#isText = name === 't';
    return undefined;
  };

  text = (text: string): void => {
    if (this.#isText && this.#paragraph !== undefined) this.#paragraph += text;
  };

  close = (name: string): void => {
    this.#isText = false;
    if (name === 'p') this.#endParagraph();
    if (name === 'sp') this.#endShape();
    if (name === 'tc') this.#rows?.at(-1)?.push(this.#shape.join(' '));
    if (name === 'tbl') this.#endTable();
  };

  #endParagraph(): void {
    const text = this.#paragraph?.trim() ?? '';
    if (text !== '') this.#shape.push(text);
    this.#paragraph = undefined;
  }

  #endShape(): void {
    if (this.#shape.length > 0 && !this.#isFurniture) this.#blocks.push(this.#shape.join('\n'));
    this.#shape = [];
    this.#isFurniture = false;
  }

  #endTable(): void {
    const table = markdownTable(this.#rows ?? []);
    if (table !== '') this.#blocks.push(table);
    this.#rows = undefined;
    this.#shape = [];
  }
}
