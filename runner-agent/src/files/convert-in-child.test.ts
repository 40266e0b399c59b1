import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ConversionRequest } from './convert/conversion.ts';
import { convertInChild, readableCode } from './convert-in-child.ts';
import { aPdf, aWordDocument, paragraph } from './sample-documents.fixture.ts';

test('packages that lie in a store far away are readable there, with what they depend on', async () => {
  const place = await realpath(await mkdtemp(join(tmpdir(), 'layout-')));
  const store = join(place, 'store');
  const folder = join(place, 'repo/runner/src');
  await mkdir(join(store, 'saxes/node_modules/saxes'), { recursive: true });
  await mkdir(join(store, 'chars'), { recursive: true });
  await writeFile(join(store, 'saxes/node_modules/saxes/package.json'), '{ "dependencies": { "xmlchars": "^2.0.0" } }');
  await writeFile(join(store, 'chars/package.json'), '{}');
  await symlink(join(store, 'chars'), join(store, 'saxes/node_modules/xmlchars'));
  await mkdir(join(place, 'repo/runner/node_modules'), { recursive: true });
  await mkdir(folder, { recursive: true });
  await symlink(join(store, 'saxes/node_modules/saxes'), join(place, 'repo/runner/node_modules/saxes'));

  const places = readableCode(folder);

  await rm(place, { recursive: true });
  expect(places).toEqual(
    expect.arrayContaining([
      join(folder, '*'),
      join(place, 'repo/runner/node_modules/*'),
      join(store, 'saxes/node_modules/saxes/*'),
      join(store, 'chars/*'),
      join(place, 'repo/runner/node_modules/saxes'),
      join(store, 'saxes/node_modules/xmlchars'),
    ]),
  );
  expect(places).not.toContain(join(place, 'repo/*'));
});

const { signal } = new AbortController();
const limits = { timeoutMs: 5_000, heapMb: 128, residentMb: 192 };

test('a document is converted by a process of its own', async () => {
  const word = { type: 'word', name: 'a.docx' } as const;
  const pdf: ConversionRequest = { type: 'pdf', name: 'a.pdf', pages: [2] };

  expect(await convertInChild(word, aWordDocument({ body: paragraph('é ✓') }), { signal })).toEqual({
    ok: true,
    markdown: 'é ✓',
    facts: { format: 'docx' },
  });
  expect(await convertInChild(pdf, aPdf([['one'], ['two']]), { signal })).toMatchObject({
    markdown: '## Page 2\n\ntwo',
  });
});

test('what is wrong with a document comes back from the child', async () => {
  expect(await convertInChild({ type: 'pdf', name: 'a.pdf' }, Buffer.from('<html>'), { signal })).toMatchObject({
    ok: false,
    code: 'type_mismatch',
  });
});

test('a conversion that takes too long is killed (F3)', async () => {
  const result = await convertInChild({ type: 'text', name: 'a.txt' }, Buffer.from('x'), {
    signal,
    limits: { ...limits, timeoutMs: 5 },
  });

  expect(result).toEqual({ ok: false, code: 'too_large', message: 'reading it took longer than 5 ms' });
});

test('a conversion that grows too large is killed, and this process lives (F3)', async () => {
  const heap = await convertInChild({ type: 'csv', name: 'a.csv' }, Buffer.from('a,b,c,d\n'.repeat(400_000)), {
    signal,
    limits: { ...limits, heapMb: 8 },
  });
  const resident = await convertInChild({ type: 'text', name: 'a.txt' }, Buffer.alloc(20 * 1024 * 1024, 'x'), {
    signal,
    limits: { ...limits, residentMb: 30 },
  });

  expect(heap).toMatchObject({ ok: false, code: 'too_large' });
  expect(resident).toMatchObject({ ok: false, message: expect.stringContaining('more than 30 MB') });
});

test('a cancelled test run kills its conversion', async () => {
  const cancel = new AbortController();
  const running = convertInChild({ type: 'text', name: 'a.txt' }, Buffer.from('x'), { signal: cancel.signal });
  cancel.abort(new Error('cancelled'));

  await expect(running).rejects.toThrow('cancelled');
});
