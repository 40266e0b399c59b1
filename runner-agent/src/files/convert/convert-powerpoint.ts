import { chosenPages } from './chosen-pages.ts';
import type { Converter } from './conversion.ts';
import { mostCharacters } from './fit-markdown.ts';
import { OfficePackage } from './office-package.ts';
import { readXml } from './read-xml.ts';
import { SlideText } from './slide-text.ts';

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
