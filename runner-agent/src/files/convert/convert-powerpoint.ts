import { type Converter, chosenPages } from './conversion.ts';
import { markdownTable, mostCharacters } from './fit-markdown.ts';
import { OfficePackage } from './office-package.ts';
import { readXml, type XmlTag, type XmlVisitor } from './read-xml.ts';

/** Slide by slide, with the notes of the speaker as a quote. */
export const convertPowerpoint: Converter = (bytes, { pages }) => {
  const file = new OfficePackage(bytes, 'powerpoint');
  const slides = slidesInOrder(file);
  const parts: string[] = [];
  let length = 0;
  for (const number of chosenPages(pages, slides.length, 'slide')) {
    const slide = slides[number - 1] ?? '';
    const text = textOf(file.part(slide));
    const notes = textOf(file.partIfAny(file.related(slide, 'notesSlide')));
    const blocks = [`## Slide ${number}`, text, notes.replaceAll(/^/gm, '> ')].filter((block) => /[^>\s]/.test(block));
    if (blocks.length > 1) parts.push(blocks.join('\n\n'));
    length += text.length + notes.length;
    if (length > mostCharacters) break;
  }
  return { markdown: parts.join('\n\n'), facts: { format: 'pptx', pages: slides.length } };
};

function slidesInOrder(file: OfficePackage): string[] {
  const relationships = file.relationships(file.main);
  const slides: string[] = [];
  readXml(file.part(file.main), {
    open: ({ name, attributes }) => {
      const slide = name === 'sldId' ? relationships.get(attributes.get('id') ?? '') : undefined;
      if (slide?.type === 'slide' && !slide.isExternal) slides.push(slide.target);
      return undefined;
    },
  });
  return slides;
}

function textOf(bytes: Buffer | undefined): string {
  if (!bytes) return '';
  const text = new SlideText();
  readXml(bytes, text);
  return text.markdown;
}

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
