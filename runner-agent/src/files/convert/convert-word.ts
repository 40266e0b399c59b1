import type { Converter } from './conversion.ts';
import { OfficePackage } from './office-package.ts';
import { readXml } from './read-xml.ts';
import { readHeadings, readNumberedLists } from './word-styles.ts';
import { WordText } from './word-text.ts';

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
