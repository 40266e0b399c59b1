import { isDateFormat } from './excel-date.ts';
import { OfficePackage } from './office-package.ts';
import { readXml } from './read-xml.ts';

export interface Workbook {
  file: OfficePackage;
  sheets: { name: string; part: string }[];
  /** Texts that cells refer to by position. */
  texts: string[];
  /** Whether cells of this style show a date, by the position of the style. */
  dateStyles: boolean[];
  is1904: boolean;
}

/** What all sheets of a workbook share. The sheets themselves are not read yet. */
export function readWorkbook(bytes: Buffer): Workbook {
  const file = new OfficePackage(bytes, 'excel');
  const relationships = file.relationships(file.main);
  const sheets: Workbook['sheets'] = [];
  let is1904 = false;
  readXml(file.part(file.main), {
    open: ({ name, attributes }) => {
      if (name === 'workbookPr') is1904 = ['1', 'true'].includes(attributes.get('date1904') ?? '');
      const part = name === 'sheet' ? relationships.get(attributes.get('id') ?? '') : undefined;
      if (part && part.type === 'worksheet' && !part.isExternal)
        sheets.push({ name: attributes.get('name') ?? '', part: part.target });
      return undefined;
    },
  });
  return {
    file,
    sheets,
    texts: readTexts(file.partIfAny(file.related(file.main, 'sharedStrings'))),
    dateStyles: readDateStyles(file.partIfAny(file.related(file.main, 'styles'))),
    is1904,
  };
}

function readTexts(bytes: Buffer | undefined): string[] {
  const texts: string[] = [];
  let parts: string[] = [];
  let isText = false;
  if (!bytes) return texts;
  readXml(bytes, {
    open: ({ name }) => {
      // Readings of East Asian words are not part of the text.
      if (name === 'rPh') return false;
      if (name === 'si') parts = [];
      isText = name === 't';
      return undefined;
    },
    text: (text) => {
      if (isText) parts.push(text);
    },
    close: (name) => {
      if (name === 'si') texts.push(parts.join(''));
      isText = false;
    },
  });
  return texts;
}

function readDateStyles(bytes: Buffer | undefined): boolean[] {
  const codes = new Map<number, string>();
  const styles: boolean[] = [];
  let isCellStyles = false;
  if (!bytes) return styles;
  readXml(bytes, {
    open: ({ name, attributes }) => {
      const id = Number(attributes.get('numFmtId') ?? 0);
      if (name === 'numFmt') codes.set(id, attributes.get('formatCode') ?? '');
      if (name === 'cellXfs') isCellStyles = true;
      if (name === 'xf' && isCellStyles) styles.push(isDateFormat(id, codes.get(id)));
      return undefined;
    },
    close: (name) => {
      if (name === 'cellXfs') isCellStyles = false;
    },
  });
  return styles;
}
