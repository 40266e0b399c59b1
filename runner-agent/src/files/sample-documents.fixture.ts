import { strToU8, zipSync } from 'fflate';

// Documents for tests, made of their parts, so that every test shows what its file holds.

type Parts = Record<string, string | Uint8Array>;

const officeNamespace = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

/** A zip archive with these entries, stored as they are: what repeats would look like a bomb when it is compressed. */
export function aZip(parts: Parts, { level = 0 }: { level?: 0 | 6 } = {}): Buffer {
  const bytes = Object.entries(parts).map(([name, content]) => [
    name,
    typeof content === 'string' ? strToU8(content) : content,
  ]);
  return Buffer.from(zipSync(Object.fromEntries(bytes), { level }));
}

/** `[id, type, target]`, or with `External` behind it. */
type Reference = readonly [id: string, type: string, target: string, mode?: 'External'];

function references(list: readonly Reference[]): string {
  const items = list.map(
    ([id, type, target, mode]) =>
      `<Relationship Id="${id}" Type="${officeNamespace}/${type}" Target="${target}"${mode ? ` TargetMode="${mode}"` : ''}/>`,
  );
  return `${declaration}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${items.join('')}</Relationships>`;
}

interface WordParts {
  /** Content of the body, with the prefixes `w` and `r`. */
  body: string;
  styles?: string;
  numbering?: string;
  links?: Readonly<Record<string, string>>;
  /** Stands before the root element. */
  prolog?: string;
}

const wordSpaces = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${officeNamespace}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"`;

/** A docx file. */
export function aWordDocument({ body, styles, numbering, links = {}, prolog = '' }: WordParts): Buffer {
  const hyperlinks = Object.entries(links).map(([id, url]) => [id, 'hyperlink', url, 'External'] as const);
  return aZip({
    '_rels/.rels': references([['rId1', 'officeDocument', 'word/document.xml']]),
    'word/document.xml': `${declaration}${prolog}<w:document ${wordSpaces}><w:body>${body}</w:body></w:document>`,
    'word/_rels/document.xml.rels': references([
      ...(styles ? [['rIdS', 'styles', 'styles.xml'] as const] : []),
      ...(numbering ? [['rIdN', 'numbering', 'numbering.xml'] as const] : []),
      ...hyperlinks,
    ]),
    ...(styles ? { 'word/styles.xml': `<w:styles ${wordSpaces}>${styles}</w:styles>` } : {}),
    ...(numbering ? { 'word/numbering.xml': `<w:numbering ${wordSpaces}>${numbering}</w:numbering>` } : {}),
  });
}

/** A paragraph of a Word document: its text, and what stands in its properties. */
export const paragraph = (text: string, properties = ''): string =>
  `<w:p>${properties ? `<w:pPr>${properties}</w:pPr>` : ''}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;

interface ExcelParts {
  /** The rows of each sheet as XML, by the name of the sheet. */
  sheets: Readonly<Record<string, string>>;
  texts?: readonly string[];
  /** Content of `<styleSheet>`. */
  styles?: string;
  is1904?: boolean;
  prolog?: string;
}

const sheetSpaces = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${officeNamespace}"`;

/** An xlsx file. */
export function aWorkbook({ sheets, texts = [], styles = '', is1904 = false, prolog = '' }: ExcelParts): Buffer {
  const names = Object.keys(sheets);
  const list = names.map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`);
  return aZip({
    '_rels/.rels': references([['rId1', 'officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `${declaration}<workbook ${sheetSpaces}><workbookPr${is1904 ? ' date1904="1"' : ''}/><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': references([
      ...names.map((_, index) => [`rId${index + 1}`, 'worksheet', `worksheets/sheet${index + 1}.xml`] as const),
      ['rIdT', 'sharedStrings', 'sharedStrings.xml'],
      ['rIdS', 'styles', '/xl/styles.xml'],
    ]),
    'xl/sharedStrings.xml': `<sst ${sheetSpaces}>${texts.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    'xl/styles.xml': `<styleSheet ${sheetSpaces}>${styles}</styleSheet>`,
    ...Object.fromEntries(
      Object.values(sheets).map((rows, index) => [
        `xl/worksheets/sheet${index + 1}.xml`,
        `${declaration}${prolog}<worksheet ${sheetSpaces}><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
  });
}

/** Rows of texts and numbers as the XML of a sheet, from A1 on. */
export function cells(rows: readonly (readonly (string | number)[])[]): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
  return rows
    .map((row, y) => {
      const content = row.map((value, x) => {
        const place = `${letters[x] ?? 'A'}${y + 1}`;
        return typeof value === 'number'
          ? `<c r="${place}"><v>${value}</v></c>`
          : `<c r="${place}" t="inlineStr"><is><t>${value}</t></is></c>`;
      });
      return `<row r="${y + 1}">${content.join('')}</row>`;
    })
    .join('');
}

interface Slide {
  /** Shapes as XML; see `shape`. */
  shapes: string;
  notes?: string;
}

const slideSpaces = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="${officeNamespace}"`;

/** A shape with one paragraph per text; `placeholder` is its role on the slide. */
export const shape = (texts: readonly string[], placeholder = ''): string =>
  `<p:sp><p:nvSpPr><p:nvPr>${placeholder ? `<p:ph type="${placeholder}"/>` : ''}</p:nvPr></p:nvSpPr><p:txBody>${texts
    .map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`)
    .join('')}</p:txBody></p:sp>`;

/** A pptx file. */
export function aPresentation(slides: readonly Slide[]): Buffer {
  const ids = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`);
  const parts = slides.flatMap(({ shapes, notes }, index): [string, string][] => [
    [
      `ppt/slides/slide${index + 1}.xml`,
      `<p:sld ${slideSpaces}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
    ],
    ...(notes === undefined
      ? []
      : ([
          [
            `ppt/slides/_rels/slide${index + 1}.xml.rels`,
            references([['rId1', 'notesSlide', `../notesSlides/notesSlide${index + 1}.xml`]]),
          ],
          [
            `ppt/notesSlides/notesSlide${index + 1}.xml`,
            `<p:notes ${slideSpaces}><p:cSld><p:spTree>${shape([String(index + 1)], 'sldNum')}${shape([notes], 'body')}</p:spTree></p:cSld></p:notes>`,
          ],
        ] as [string, string][])),
  ]);
  return aZip({
    '_rels/.rels': references([['rId1', 'officeDocument', 'ppt/presentation.xml']]),
    'ppt/presentation.xml': `<p:presentation ${slideSpaces}><p:sldIdLst>${ids.join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': references(
      slides.map((_, index) => [`rId${index + 1}`, 'slide', `slides/slide${index + 1}.xml`] as const),
    ),
    ...Object.fromEntries(parts),
  });
}

/** A PDF with one page per entry, each entry a list of lines; `pageTree` replaces the list of the pages. */
export function aPdf(pages: readonly (readonly string[])[], { pageTree }: { pageTree?: string } = {}): Buffer {
  const kids = pages.map((_, index) => `${4 + 2 * index} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    pageTree ?? `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((lines, index) => {
      const shown = lines.map((line) => `(${line}) Tj 0 -14 Td`).join(' ');
      const content = `BT /F1 12 Tf 72 720 Td ${shown} ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * index} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const count = objects.length + 1;
  text += `xref\n0 ${count}\n0000000000 65535 f \n${table}trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF`;
  return Buffer.from(text, 'latin1');
}

/** The header of a PNG of this size; the pixels are missing. */
export function aPng(width: number, height: number): Buffer {
  const header = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const size = Buffer.alloc(17);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  size.set([8, 6], 8);
  return Buffer.concat([header, size]);
}
