import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scratchRepository } from '../scratch-repository.fixture.ts';
import { hashCaseFiles, readCaseFile } from './case-files.ts';
import { collectDefinitions } from './collect-definitions.ts';

const suite = `name: Files
agent: { name: Bot, instructions: Read., driver: { type: scripted, replies: [{ reply: ok }] } }
cases:
  - { name: One, input: a, expected_behavior: { checks: [{ type: contains_phrases, phrases: [ok] }] }, files: [{ path: docs/b.txt, type: text }, { path: docs/a.txt, type: text }] }
  - { name: Two, input: b, expected_behavior: { checks: [{ type: contains_phrases, phrases: [ok] }] }, files: [{ path: docs/a.txt, type: text }, { path: docs/gone.txt, type: text }] }
  - { name: Three, input: c, expected_behavior: { checks: [{ type: contains_phrases, phrases: [ok] }] }, files: [{ url: "https://example.com/c.txt", type: text }] }
`;

test('the local files of all cases are known by their content, each once', async () => {
  await using repository = await scratchRepository({
    'files.suite.yaml': suite,
    'docs/a.txt': 'first',
    'docs/b.txt': 'second',
    'docs/gone.txt': 'third',
  });
  const { definitions, problems } = collectDefinitions({ root: repository.root });
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  // A file may go after its suite was read: then the case that wants it says so.
  await rm(join(repository.root, 'docs/gone.txt'));
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  expect(await hashCaseFiles(definitions.suites, repository.root)).toEqual([
    { path: 'docs/a.txt', sha256: sha256('first') },
    { path: 'docs/b.txt', sha256: sha256('second') },
  ]);
  expect(Buffer.from((await readCaseFile('docs/a.txt', repository.root)) ?? []).toString()).toBe('first');
  expect(await readCaseFile('../outside.txt', repository.root)).toBeNull();
});
