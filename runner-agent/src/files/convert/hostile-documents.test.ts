import { expect, test } from 'vitest';
import {
  aPdf,
  aPresentation,
  aWordDocument,
  aWorkbook,
  aZip,
  cells,
  paragraph,
  shape,
} from '../sample-documents.fixture.ts';
import type { ConversionRequest } from './conversion.ts';
import { convertDocument } from './convert-document.ts';
import { ZipArchive } from './office-package.ts';

const megabyte = 1024 * 1024;

/** Converts and expects an answer for less than 5 s of processor time. */
async function convert(bytes: Buffer, type: ConversionRequest['type']) {
  const before = process.threadCpuUsage();
  const result = await convertDocument(bytes, { type, name: 'file' });
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(5_000);
  return result;
}

const failed = (code: string, part: string) => ({ ok: false, code, message: expect.stringContaining(part) });

/** The archive with other sizes promised in its directory. */
function withPromisedSize(zip: Buffer, size: number): Buffer {
  const lying = Buffer.from(zip);
  const entry = Buffer.from('504b0102', 'hex');
  for (let at = lying.indexOf(entry); at !== -1; at = lying.indexOf(entry, at + 4)) lying.writeUInt32LE(size, at + 24);
  return lying;
}

const bomb = aZip({ 'word/document.xml': '<a/>', zeros: new Uint8Array(60 * megabyte) }, { level: 6 });

test('a zip bomb is refused by what its directory promises (F4)', async () => {
  expect(await convert(bomb, 'word')).toEqual(failed('too_large', 'inflates'));
});

test('a zip bomb that promises little is refused while it is inflated (F4)', () => {
  const zip = new ZipArchive(withPromisedSize(bomb, 10));

  expect(() => zip.read('zeros')).toThrow('inflates to more than 50 MB');
});

test('what is inflated is counted over all entries together (F4)', () => {
  const names = Array.from({ length: 30 }, (_, index) => `part${index}`);
  const parts = Object.fromEntries(names.map((name) => [name, new Uint8Array(2 * megabyte)]));
  const zip = new ZipArchive(withPromisedSize(aZip(parts), 10));

  expect(() => names.map((name) => zip.read(name))).toThrow('inflates to more than 50 MB');
});

test('an archive of more than 2,000 entries is refused', async () => {
  const zip = aZip(Object.fromEntries(Array.from({ length: 2_001 }, (_, index) => [`e${index}`, ''])));

  expect(await convert(zip, 'word')).toEqual(failed('too_large', '2001 entries'));
});

test('names of entries are never paths', async () => {
  const zip = new ZipArchive(aZip({ '../../etc/passwd': 'x', 'C:\\a': 'y' }));

  expect(zip.read('../../etc/passwd')?.toString()).toBe('x');
  expect(zip.read('passwd')).toBeUndefined();
});

test('a protected archive says so', async () => {
  const zip = aZip({ 'word/document.xml': '<a/>' });
  zip.writeUInt16LE(1, zip.indexOf(Buffer.from('504b0102', 'hex')) + 8);

  expect(await convert(zip, 'word')).toEqual(failed('encrypted', 'password'));
});

const entities = `<!DOCTYPE w [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 20 }, (_, i) => `<!ENTITY a${i} "&a;&a;&a;&a;&a;">`).join('')}]>`;

test.each([
  ['entities that multiply', entities],
  ['a reference to a file', '<!DOCTYPE w SYSTEM "file:///etc/passwd">'],
])('XML with %s is refused with its DOCTYPE (F5)', async (_, prolog) => {
  expect(await convert(aWordDocument({ body: paragraph('x'), prolog }), 'word')).toEqual(
    failed('unreadable', 'DOCTYPE'),
  );
  expect(await convert(aWorkbook({ sheets: { S: cells([['x']]) }, prolog }), 'excel')).toEqual(
    failed('unreadable', 'DOCTYPE'),
  );
});

test('an entity that XML itself does not have is an error', async () => {
  expect(await convert(aWordDocument({ body: paragraph('&xxe;') }), 'word')).toEqual(
    failed('unreadable', 'well-formed'),
  );
});

test('XML that nests a million times is refused at its 257th level (F5)', async () => {
  const deep = '<w:x>'.repeat(1_000_000);

  expect(await convert(aWordDocument({ body: deep }), 'word')).toEqual(failed('unreadable', 'nested too deeply'));
});

test('parts outside of the file are never followed', async () => {
  const pptx = aPresentation([{ shapes: shape(['x']) }]);
  const external = aZip({
    '_rels/.rels':
      '<Relationships><Relationship Id="r" Type="t/officeDocument" Target="http://127.0.0.1:9/x" TargetMode="External"/></Relationships>',
  });

  expect(await convert(external, 'powerpoint')).toEqual(failed('unreadable', 'missing'));
  expect((await convert(pptx, 'powerpoint')).ok).toBe(true);
});

test('a PDF whose page tree has its own children ends with an error (F6)', async () => {
  const pageTree = '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 9 >>';

  expect(await convert(aPdf([['x']], { pageTree }), 'pdf')).toMatchObject({ ok: false });
});

test('a PDF that promises a billion pages has those that are there, or too many (F6)', async () => {
  const pageTree = (kids: string) => `<< /Type /Pages /Kids [${kids}] /Count 1000000000 >>`;

  expect(await convert(aPdf([['x']], { pageTree: pageTree('4 0 R') }), 'pdf')).toMatchObject({
    ok: true,
    facts: { pages: 1 },
  });
  expect(await convert(aPdf([['x']], { pageTree: pageTree('4 0 R '.repeat(10_001)) }), 'pdf')).toMatchObject({
    ok: false,
  });
});

test('a sheet of a million filled cells is read only as far as it can be shown', async () => {
  const row = `<c><v>1</v></c>`.repeat(100);
  const rows = Array.from({ length: 9_000 }, () => `<row>${row}</row>`).join('');

  expect(await convert(aWorkbook({ sheets: { S: rows } }), 'excel')).toMatchObject({
    ok: true,
    facts: { truncated: true },
  });
});

test('names of elements that every object has are ordinary names', async () => {
  const body = `<w:constructor/><w:__proto__><w:toString/></w:__proto__>${paragraph('fine')}`;

  expect(await convert(aWordDocument({ body }), 'word')).toMatchObject({ ok: true, markdown: 'fine' });
});
