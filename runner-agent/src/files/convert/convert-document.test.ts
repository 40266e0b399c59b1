import { expect, test } from 'vitest';
import {
  aPdf,
  aPng,
  aPresentation,
  aWordDocument,
  aWorkbook,
  aZip,
  cells,
  paragraph,
  shape,
} from '../sample-documents.fixture.ts';
import type { Conversion, ConversionRequest } from './conversion.ts';
import { convertDocument } from './convert-document.ts';

function convert(bytes: Buffer | string, request: Partial<ConversionRequest> & Pick<ConversionRequest, 'type'>) {
  return convertDocument(Buffer.from(bytes), { name: 'file', ...request });
}

const failed = (code: string, part: string) => ({ ok: false, code, message: expect.stringContaining(part) });

async function textOf(conversion: Promise<Conversion>): Promise<string> {
  const result = await conversion;
  if (!result.ok) throw new Error(result.message);
  return result.markdown;
}

test('text is kept as it is, with line ends as they are written here and controls shown as replaced', async () => {
  expect(await convert('\uFEFFone\r\n\ttwo\u0007 {"a": "é"}\n', { type: 'text' })).toEqual({
    ok: true,
    markdown: 'one\n\ttwo\uFFFD {"a": "é"}',
    facts: { format: 'text' },
  });
});

test.each([
  ['bytes that are not UTF-8', Buffer.from([0x61, 0xff, 0x62])],
  ['NUL characters', Buffer.from('a\0b')],
  ['UTF-16', Buffer.from('\uFEFFabc', 'utf16le')],
])('text with %s is refused', async (_, bytes) => {
  expect(await convert(bytes, { type: 'text' })).toEqual(failed('type_mismatch', 'text'));
});

test('HTML is reduced to what can be read', async () => {
  const html = `<!DOCTYPE html><html><head><title>T</title><style>p{}</style><script>alert("<p>no</p>")</script></head>
    <body><!-- hidden <b> --><h2>Opening&nbsp;hours</h2><p>Mon &amp; Tue: 9&ndash;17 &lt;o&#39;clock&gt;</p>
    <ul><li>one<li>two</ul>a < b &unknown; &#0;</body>`;

  expect(await textOf(convert(html, { type: 'text', name: 'page.html' }))).toBe(
    "T\n\n## Opening hours\n\nMon & Tue: 9–17 <o'clock>\n\n- one\n- two\na < b &unknown; \uFFFD",
  );
});

test('a script that is never closed hides the rest, and hostile markup is read in one pass', async () => {
  expect(await textOf(convert('<html>seen<script>x', { type: 'text' }))).toBe('seen');
  const hostile = `<html>${'<'.repeat(200_000)}${'<!--'.repeat(100_000)}`;
  const before = process.threadCpuUsage();
  await convert(hostile, { type: 'text' });
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(2_000);
});

test.each([',', ';', '\t'])('CSV with %j becomes one table with the first row as header', async (delimiter) => {
  const line = (...fields: string[]) => `${fields.join(delimiter)}\r\n`;
  const csv = line('name', 'note') + line('"a ""b"""', `"x${delimiter}y\nz | w"`) + line('', '') + line('short');

  expect(await convert(csv, { type: 'csv' })).toEqual({
    ok: true,
    markdown: `| name | note |\n| --- | --- |\n| a "b" | x${delimiter}y z \\| w |\n| short |  |`,
    facts: { format: 'csv', rows: 3 },
  });
});

test('a table of more than 10,000 rows is cut and says so', async () => {
  const result = await convert('n\n'.repeat(12_000), { type: 'csv' });

  expect(result).toMatchObject({ ok: true, facts: { rows: 10_000, truncated: true } });
  expect(await textOf(Promise.resolve(result))).toMatch(/\| n \|\n\n\[… cut after 10000 rows\]$/);
  const whole = await convert('n\n'.repeat(10_000), { type: 'csv' });
  expect(await textOf(Promise.resolve(whole))).not.toContain('cut after');

  const rows = Array.from({ length: 10_001 }, () => '<row><c><v>1</v></c></row>').join('');
  const sheet = await convert(aWorkbook({ sheets: { S: rows } }), { type: 'excel' });
  expect(sheet).toMatchObject({ facts: { truncated: true } });
  expect(await textOf(Promise.resolve(sheet))).toMatch(/cut after 10000 rows\]$/);
});

test('text of more than 200,000 characters is cut with a mark', async () => {
  const result = await convert('é'.repeat(300_000), { type: 'text' });

  expect(result).toMatchObject({ ok: true, facts: { truncated: true } });
  expect(await textOf(Promise.resolve(result))).toHaveLength(200_000);
  expect(await textOf(Promise.resolve(result))).toMatch(/\[… cut after 200000 characters\]$/);
});

test('a web page is no CSV, and an open quote reaches to the end', async () => {
  expect(await convert('<!doctype html><p>,', { type: 'csv' })).toEqual(failed('type_mismatch', 'not CSV'));
  expect(await textOf(convert('a,"b\nc,d', { type: 'csv' }))).toBe('| a | b c,d |\n| --- | --- |');
});

test.each(['text', 'csv', 'pdf', 'excel', 'word', 'powerpoint', 'image'] as const)(
  'an empty %s file is an error, not an empty text (S0-52)',
  async (type) => {
    expect(await convert('', { type })).toEqual(failed('empty', 'the file is empty'));
  },
);

test.each([
  ['text', ' \n\t '],
  ['csv', ',,\n,,'],
] as const)('a %s file of white space alone is empty', async (type, content) => {
  expect(await convert(content, { type })).toEqual(failed('empty', 'no text'));
});

test('a PDF becomes one section per page (S0-46)', async () => {
  expect(await convert(aPdf([['Hello World', 'second line'], ['Page two']]), { type: 'pdf' })).toEqual({
    ok: true,
    markdown: '## Page 1\n\nHello World\nsecond line\n\n## Page 2\n\nPage two',
    facts: { format: 'pdf', pages: 2 },
  });
});

test('only the wanted pages of a PDF are read, in the order of the document and once (S0-21)', async () => {
  const pdf = aPdf([['first'], ['second'], ['third']]);

  expect(await textOf(convert(pdf, { type: 'pdf', pages: [2] }))).toBe('## Page 2\n\nsecond');
  expect(await textOf(convert(pdf, { type: 'pdf', pages: [3, 1, 3] }))).toBe(
    '## Page 1\n\nfirst\n\n## Page 3\n\nthird',
  );
  expect(await convert(pdf, { type: 'pdf', pages: [4] })).toEqual(
    failed('not_found', 'there is no page 4: the file has 3 pages'),
  );
});

test('a PDF without a text layer is an error, scans included (S0-52)', async () => {
  expect(await convert(aPdf([[], []]), { type: 'pdf' })).toEqual(failed('empty', 'a scan'));
});

test('a PDF that is cut off or none at all is an error (S0-50)', async () => {
  const pdf = aPdf([['x']]);

  expect(await convert(pdf.subarray(0, 40), { type: 'pdf' })).toEqual(failed('unreadable', 'the PDF is broken'));
  expect(await convert('<html>', { type: 'pdf' })).toEqual(failed('type_mismatch', 'not a PDF'));
});

test('a PDF whose page tree leads back to itself ends as an error', async () => {
  const looped = aPdf([['x']], { pageTree: '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 9 >>' });

  expect(await convert(looped, { type: 'pdf' })).toMatchObject({ ok: false });
});

test('a Word document keeps headings, lists, tables and links, in their order (S0-46)', async () => {
  const styles =
    '<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style><w:style w:styleId="T"><w:name w:val="Title"/></w:style>';
  const numbering =
    '<w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>' +
    '<w:abstractNum w:abstractNumId="8"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>' +
    '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>';
  const item = (id: number, level = 0) => `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${id}"/></w:numPr>`;
  const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`;
  const docx = aWordDocument({
    styles,
    numbering,
    links: { rId9: 'https://example.com/a b', rId8: 'javascript:alert(1)' },
    body: [
      paragraph('Returns', '<w:pStyle w:val="T"/>'),
      paragraph('How it works', '<w:pStyle w:val="berschrift1"/>'),
      '<w:p><w:r><w:t>Read the </w:t></w:r><w:hyperlink r:id="rId9"><w:r><w:t>rules</w:t></w:r></w:hyperlink>' +
        '<w:r><w:t xml:space="preserve"> or </w:t></w:r><w:hyperlink r:id="rId8"><w:r><w:t>this</w:t></w:r></w:hyperlink></w:p>',
      paragraph('First', item(1)),
      paragraph('Second', item(1)),
      paragraph('Dash', item(2)),
      paragraph('Inner', item(2, 1)),
      `<w:tbl><w:tr>${cell('Day')}${cell('Hours')}</w:tr><w:tr>${cell('Mon')}${cell('9 | 17')}</w:tr></w:tbl>`,
      '<w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:r><w:t>new</w:t><w:tab/><w:t>text &amp; more</w:t></w:r></w:p>',
    ].join(''),
  });

  expect(await convert(docx, { type: 'word' })).toEqual({
    ok: true,
    facts: { format: 'docx' },
    markdown: [
      '# Returns',
      '# How it works',
      'Read the [rules](https://example.com/a%20b) or this',
      '1. First\n1. Second\n- Dash\n   - Inner',
      '| Day | Hours |\n| --- | --- |\n| Mon | 9 \\| 17 |',
      'new text & more',
    ].join('\n\n'),
  });
});

test('a workbook becomes a table of stored values per sheet (S0-46)', async () => {
  const styles =
    '<numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy hh:mm"/><numFmt numFmtId="165" formatCode="&quot;days&quot; 0"/></numFmts>' +
    '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>' +
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="20"/></cellXfs>';
  const xlsx = aWorkbook({
    texts: ['<t>Order</t>', '<r><t>A</t></r><r><t>-1</t></r><rPh><t>no</t></rPh>'],
    styles,
    sheets: {
      Orders:
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>Sum</t></is></c><c r="D1" t="str"><v>When</v></c></row>' +
        '<row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2"><v>3.3000000000000003</v></c><c r="D2" s="1"><v>45000</v></c></row>' +
        '<row r="4"><c t="b"><v>1</v></c><c t="e"><v>#DIV/0!</v></c><c/><c s="2"><v>45000.75</v></c></row>' +
        '<row r="5"><c r="A5"><f>SUM(A1:A2)</f></c><c r="B5" s="3"><v>7</v></c><c r="D5" s="4"><v>0.5</v></c></row>',
      Empty: '',
      More: cells([['x'], [1]]),
    },
  });

  expect(await convert(xlsx, { type: 'excel' })).toEqual({
    ok: true,
    facts: { format: 'xlsx', sheets: ['Orders', 'Empty', 'More'], rows: 6 },
    markdown: [
      '## Orders',
      [
        '| Order | Sum | When |',
        '| --- | --- | --- |',
        '| A-1 | 3.3 | 2023-03-15 |',
        '| TRUE | #DIV/0! | 2023-03-15T18:00:00 |',
        '| =SUM(A1:A2) | 7 | 12:00:00 |',
      ].join('\n'),
      '## More',
      '| x |\n| --- |\n| 1 |',
    ].join('\n\n'),
  });
});

test('only the wanted sheet and the cells of the range are read (S0-22, S0-23)', async () => {
  const xlsx = aWorkbook({
    sheets: {
      One: cells([
        ['a', 'b', 'c'],
        ['d', 'e', 'f'],
        ['g', 'h', 'i'],
      ]),
      Two: cells([['two', 'zwei']]),
    },
  });

  expect(await textOf(convert(xlsx, { type: 'excel', sheet: 'Two' }))).toBe('## Two\n\n| two | zwei |\n| --- | --- |');
  expect(await textOf(convert(xlsx, { type: 'excel', range: 'B2:C3' }))).toBe(
    '## One\n\n| e | f |\n| --- | --- |\n| h | i |',
  );
  expect(await convert(xlsx, { type: 'excel', sheet: 'Three' })).toEqual(
    failed('not_found', 'there is no sheet "Three": the workbook has One, Two'),
  );
  expect(await convert(xlsx, { type: 'excel', range: 'A1:XFD1048576' })).toEqual(failed('too_large', 'limit 100000'));
});

test('dates count from 1904 where the workbook says so, and from the wrong leap year else', async () => {
  const sheets = { S: '<row><c s="1"><v>1</v></c><c s="1"><v>60</v></c></row>' };
  const styles = '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>';

  expect(await textOf(convert(aWorkbook({ sheets, styles }), { type: 'excel' }))).toContain(
    '| 1900-01-01 | 1900-02-28 |',
  );
  expect(await textOf(convert(aWorkbook({ sheets, styles, is1904: true }), { type: 'excel' }))).toContain('1904-01-02');
});

test('one far-away cell costs nothing', async () => {
  const far = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>';

  expect(await textOf(convert(aWorkbook({ sheets: { S: far } }), { type: 'excel' }))).toBe(
    '## S\n\n| 1 |  |\n| --- | --- |\n|  | 2 |',
  );
});

test('a presentation becomes one section per slide, with notes as a quote and without page furniture (S0-21)', async () => {
  const table =
    '<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>k</a:t></a:r></a:p></a:txBody></a:tc>' +
    '<a:tc><a:txBody><a:p><a:r><a:t>v</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>';
  const pptx = aPresentation([
    { shapes: shape(['Quarter'], 'title') + shape(['Up', 'Down']) + shape(['7'], 'sldNum'), notes: 'Speak slowly' },
    { shapes: shape([]) },
    { shapes: table },
  ]);

  expect(await convert(pptx, { type: 'powerpoint' })).toEqual({
    ok: true,
    facts: { format: 'pptx', pages: 3 },
    markdown: '## Slide 1\n\nQuarter\n\nUp\nDown\n\n> Speak slowly\n\n## Slide 3\n\n| k | v |\n| --- | --- |',
  });
  expect(await textOf(convert(pptx, { type: 'powerpoint', pages: [3] }))).toMatch(/^## Slide 3/);
  expect(await convert(pptx, { type: 'powerpoint', pages: [9] })).toEqual(failed('not_found', 'the file has 3 slides'));
});

const jpeg = Buffer.from('ffd8ffe000040000ffc0000b080030004001011100', 'hex');
const gif = Buffer.from('GIF89a\x40\x00\x30\x00', 'latin1');
const webp = (chunk: string, hex: string) =>
  Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), Buffer.from(chunk), Buffer.from(hex, 'hex')]);

test.each([
  ['png', aPng(64, 48)],
  ['jpeg', jpeg],
  ['gif', gif],
  ['webp', webp('VP8X', '0a000000000000003f00002f0000')],
  ['webp', webp('VP8 ', '000000000000009d012a40003000')],
  ['webp', webp('VP8L', '000000002f3fc00b00')],
])('a %s is its name, description and size', async (format, bytes) => {
  expect(await convert(bytes, { type: 'image', name: 'shop.png', description: 'The shop' })).toEqual({
    ok: true,
    markdown: 'Image: shop.png\nDescription: The shop\nSize: 64 × 48 pixels',
    facts: { format, width: 64, height: 48 },
  });
});

test('an image of more than 50 megapixels is refused by its header', async () => {
  expect(await convert(aPng(60_000, 60_000), { type: 'image' })).toEqual(failed('too_large', '60000 × 60000'));
});

test('an image that is broken off, or none, is an error', async () => {
  expect(await convert(aPng(1, 1).subarray(0, 20), { type: 'image' })).toEqual(failed('unreadable', 'broken off'));
  expect(await convert(jpeg.subarray(0, 9), { type: 'image' })).toEqual(failed('unreadable', 'broken off'));
  expect(await convert('<html>', { type: 'image' })).toEqual(failed('type_mismatch', 'not an image'));
});

test.each(['excel', 'word', 'powerpoint'] as const)('another format named as %s is refused', async (type) => {
  const others = {
    excel: aWorkbook({ sheets: { S: cells([['x']]) } }),
    word: aWordDocument({ body: paragraph('x') }),
    powerpoint: aPresentation([{ shapes: shape(['x']) }]),
  };
  for (const [other, bytes] of Object.entries(others)) {
    const result = await convert(bytes, { type });
    if (other === type) expect(result.ok).toBe(true);
    else expect(result).toEqual(failed('type_mismatch', 'the file is not'));
  }
  expect(await convert(aZip({ 'a.txt': 'x' }), { type })).toEqual(failed('type_mismatch', 'the file is not'));
  expect(await convert('plain', { type })).toEqual(failed('type_mismatch', 'the file is not'));
  expect(await convert(Buffer.from('d0cf11e0a1b11ae1', 'hex'), { type })).toEqual(failed('encrypted', 'password'));
  expect(await convert(others[type].subarray(0, 200), { type })).toEqual(failed('unreadable', 'broken archive'));
});
