import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Conversion, ConversionRequest } from './conversion.ts';
import { convertDocument } from './convert-document.ts';

const bytesOf = (name: string) => readFile(new URL(`./real-documents/${name}`, import.meta.url));
const convert = async (name: string, request: Pick<ConversionRequest, 'type'> & Partial<ConversionRequest>) =>
  await convertDocument(await bytesOf(name), { name, ...request });

function text(conversion: Conversion): string {
  if (!conversion.ok) throw new Error(conversion.message);
  return conversion.markdown;
}

test('a Word document keeps nested lists, merged cells, a link and what was inserted, and nothing that was deleted', async () => {
  expect(text(await convert('handbook.docx', { type: 'word' }))).toMatchInlineSnapshot(`
    "# Returns handbook

    # Deadlines

    Goods come back within 30 days, unopened.

    - Goods
       - Books
          - Signed books
    - Lamps

    ## How it works

    1. Write to us
       1. with the order number
    1. Send the parcel

    See [the shop](https://example.com/a%20b?x=1&y=2)
    Second line	with a tab | and a pipe

    | Item | Price | Currency | Note |
    | --- | --- | --- | --- |
    | All prices |  |  | spans three |
    | Tea \\| green | 3.50 | EUR | first row of two |
    |  | 4.00 | USD | second |
    | Nested | - one - two | in, side |  |

    kept insertion

    Grüße, 日本語, 🙂 &amp; <b>not markup</b>"
  `);
});

describe('a workbook', () => {
  test('has the results of its formulas, dates as ISO 8601, merged cells once, errors, and every sheet', async () => {
    const converted = await convert('prices.xlsx', { type: 'excel' });
    expect(converted).toMatchObject({
      facts: { format: 'xlsx', sheets: ['Prices', 'Dates & more', 'Hidden'], rows: 11 },
    });
    expect(text(converted)).toMatchInlineSnapshot(`
      "## Prices

      | Item | Price | Count | Total |
      | --- | --- | --- | --- |
      | Tea | 3.5 | 2 | 7 |
      | Coffee \\| black | 4 | 3 | 12 |
      | Sum | #DIV/0! |  | 19 |

      ## Dates & more

      | Merged title |  | Flag |
      | --- | --- | --- |
      | Day | When | TRUE |
      | 2026-01-31 | 2026-01-31T14:30:00 | FALSE |
      | Share | 0.25 | =1+1 as text |
      | long | 12345678901234 | two lines |
      |  | 0.3 | é 日本 |

      ## Hidden

      | hidden |
      | --- |"
    `);
  });

  test('is read by sheet and range (S0-22, S0-23)', async () => {
    const dates = await convert('prices.xlsx', { type: 'excel', sheet: 'Dates & more', range: 'A2:B3' });
    expect(text(dates)).toMatchInlineSnapshot(`
      "## Dates & more

      | Day | When |
      | --- | --- |
      | 2026-01-31 | 2026-01-31T14:30:00 |"
    `);
    const first = await convert('prices.xlsx', { type: 'excel', range: 'A1:B2' });
    expect(text(first)).toMatchInlineSnapshot(`
      "## Prices

      | Item | Price |
      | --- | --- |
      | Tea | 3.5 |"
    `);
    expect(await convert('prices.xlsx', { type: 'excel', sheet: 'Datse' })).toMatchObject({
      code: 'not_found',
      message: 'there is no sheet "Datse": the workbook has Prices, Dates & more, Hidden',
    });
  });

  test.each([
    ['old.xls', 'encrypted', 'old binary format'],
    ['binary.xlsb', 'type_mismatch', 'not an Excel workbook (xlsx)'],
    ['sheet.ods', 'type_mismatch', 'not an Excel workbook (xlsx)'],
    ['handbook.docx', 'type_mismatch', 'not an Excel workbook (xlsx)'],
  ])('of another format is refused: %s', async (name, code, message) => {
    expect(await convert(name, { type: 'excel' })).toMatchObject({
      ok: false,
      code,
      message: expect.stringContaining(message),
    });
  });
});

test('a presentation has its bullets, notes as a quote, and its tables; a slide without words is left out', async () => {
  const converted = await convert('talk.pptx', { type: 'powerpoint' });
  expect(converted).toMatchObject({ facts: { format: 'pptx', pages: 4 } });
  expect(text(converted)).toMatchInlineSnapshot(`
    "## Slide 1

    Opening hours

    Weekdays 9 to 17
    lunch 12 to 13
    Closed on Sunday

    > Say that we are closed on holidays.
    > Second line of the notes.

    ## Slide 2

    | Both |  |
    | --- | --- |
    | Item | Price |
    | Tea \\| green | 3.50 |

    ## Slide 4

    Last slide: Grüße 日本"
  `);
  expect(text(await convert('talk.pptx', { type: 'powerpoint', pages: [4, 2, 4] }))).toMatch(
    /^## Slide 2[\s\S]*\n## Slide 4\n/,
  );
  expect(await convert('talk.pptx', { type: 'powerpoint', pages: [5] })).toMatchObject({
    code: 'not_found',
    message: 'there is no slide 5: the file has 4 slides',
  });
});

describe('a PDF', () => {
  test('has its text page by page, with letters of every kind', async () => {
    const converted = await convert('invoice.pdf', { type: 'pdf' });
    expect(converted).toMatchObject({ facts: { format: 'pdf', pages: 3 } });
    expect(text(converted)).toMatchInlineSnapshot(`
      "## Page 1

      Invoice 4711
      Dear customer,
      the total is 19.00 EUR. Grüße – “quotes”, ½ price.

      ## Page 2

      Left column Right column

      ## Page 3

      Page three: thank you."
    `);
  });

  test('with a password is refused; one that only forbids copying is read like any other', async () => {
    expect(await convert('password.pdf', { type: 'pdf' })).toMatchObject({
      code: 'encrypted',
      message: 'the PDF is protected by a password',
    });
    const open = await convert('owner-only.pdf', { type: 'pdf' });
    expect(text(open)).toBe(text(await convert('invoice.pdf', { type: 'pdf' })));
  });

  test('that is a scan is an error, and so is the page of one that is (S0-52)', async () => {
    const empty = { ok: false, code: 'empty', message: expect.stringContaining('a scan has to be given as images') };
    expect(await convert('scan.pdf', { type: 'pdf' })).toMatchObject(empty);
    expect(await convert('mixed.pdf', { type: 'pdf', pages: [2] })).toMatchObject(empty);
    expect(text(await convert('mixed.pdf', { type: 'pdf' })).match(/^## .*/gm)).toEqual(['## Page 1', '## Page 3']);
  });
});

describe('a picture', () => {
  test.each([
    ['lossy.webp', 'webp'],
    ['lossless.webp', 'webp'],
    ['alpha.webp', 'webp'],
    ['exif.webp', 'webp'],
    ['baseline.jpg', 'jpeg'],
    ['progressive.jpg', 'jpeg'],
    ['palette.png', 'png'],
    ['picture.gif', 'gif'],
  ])('has its size in the header: %s', async (name, format) => {
    const converted = await convert(name, { type: 'image', description: 'A green box' });
    expect(converted).toMatchObject({ ok: true, facts: { format, width: 64, height: 48 } });
    expect(text(converted)).toBe(`Image: ${name}\nDescription: A green box\nSize: 64 × 48 pixels`);
  });

  test.each(['picture.tif', 'picture.avif', 'invoice.pdf'])('of another format is refused: %s', async (name) => {
    expect(await convert(name, { type: 'image' })).toMatchObject({ ok: false, code: 'type_mismatch' });
  });
});

describe('CSV as spreadsheets write it', () => {
  const csv = async (content: string | Buffer) =>
    await convertDocument(Buffer.from(content), { type: 'csv', name: 'prices.csv' });

  test('with semicolons, quotes, a byte order mark and commas in numbers', async () => {
    const written =
      '\u{FEFF}Item;Price;"Says ""hello"""\r\n"Tea; green";3,50;"two\r\nlines"\r\n;;\r\nLast|one;4,00\r\n';
    expect(text(await csv(written))).toMatchInlineSnapshot(`
      "| Item | Price | Says "hello" |
      | --- | --- | --- |
      | Tea; green | 3,50 | two lines |
      | Last\\|one | 4,00 |  |"
    `);
  });

  test('with a delimiter in the quotes of its head', async () => {
    expect(text(await csv('"a;b;c;d",x\n1,2\n'))).toBe('| a;b;c;d | x |\n| --- | --- |\n| 1 | 2 |');
  });

  test.each([
    ['UTF-16', Buffer.from('\u{FEFF}a;b\n1;2\n', 'utf16le')],
    ['Windows letters', Buffer.from('Gr\u00fc\u00dfe;1\n', 'latin1')],
  ])('in %s is refused, because it would become other characters', async (_, bytes) => {
    expect(await csv(bytes)).toMatchObject({ ok: false, code: 'type_mismatch', message: 'the file is not UTF-8 text' });
  });
});
