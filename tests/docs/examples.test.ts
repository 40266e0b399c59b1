import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { repositoryRoot } from '../stack/processes.ts';
import { filesOf, loadPage } from './load-page.ts';
import { fencedBlocks, pages } from './pages.ts';

/** The workflow that `proofmark init` writes. */
function workflowOfInit(): string {
  const folder = mkdtempSync(join(tmpdir(), 'proofmark-init-'));
  try {
    execFileSync(process.execPath, [join(repositoryRoot, 'cli/bin/proofmark.mjs'), 'init'], { cwd: folder });
    return readFileSync(join(folder, '.github/workflows/proofmark.yml'), 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const withFiles = pages.filter((page) => filesOf(page).size > 0);

test.each(withFiles.map((page) => [page.path, page] as const))('the files that %s shows are valid', (_path, page) => {
  expect(loadPage(page).problems).toEqual([]);
});

test('the pages for users show files, and a wrong one is found', () => {
  const paths = withFiles.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['README.md', 'docs/suite-file.md', 'docs/variables.md']));
  const { problems } = loadPage({ path: 'x.md', text: '```yaml\n# a.suite.yaml\nname: A\nagnt: x\n```\n' });
  expect(problems).toContainEqual(expect.objectContaining({ file: 'a.suite.yaml', line: 3, path: 'agnt' }));
});

/** How a block of each language is read. GraphQL is asked: tests/flows/graphql-questions. Commands are typed: tests/flows/typed-pages. */
const readers: Record<string, (text: string) => unknown> = {
  yaml: (text) => parse(text),
  json: (text) =>
    text
      .trim()
      .split(/\n(?=\{)/)
      .map((line) => JSON.parse(line)),
  ts: (text) => stripTypeScriptTypes(text),
  python: (text) =>
    execFileSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], { input: text, stdio: 'pipe' }),
};
const others = ['', 'csv', 'graphql', 'sh', 'text'];

test('every block is written in its language', () => {
  const blocks = pages.flatMap((page) => fencedBlocks(page));
  expect([...new Set(blocks.map(({ language }) => language))].toSorted()).toEqual(
    [...Object.keys(readers), ...others].toSorted(),
  );
  for (const { language, text } of blocks) expect(() => readers[language]?.(text), text).not.toThrow();
  const wrong = { yaml: 'a: [', json: '{', ts: 'const = 1;', python: 'def x(:' };
  for (const [language, text] of Object.entries(wrong)) expect(() => readers[language]?.(text), text).toThrow();
});

describe('workflows', () => {
  const Workflow = z.looseObject({
    permissions: z.unknown(),
    jobs: z.record(
      z.string(),
      z.looseObject({
        permissions: z.record(z.string(), z.string()),
        steps: z.array(z.looseObject({ uses: z.string(), with: z.record(z.string(), z.unknown()).default({}) })),
      }),
    ),
  });
  const action = z
    .looseObject({ inputs: z.record(z.string(), z.unknown()) })
    .parse(parse(readFileSync(join(repositoryRoot, 'action/action.yml'), 'utf8')));
  const onPages = pages.flatMap((page) =>
    fencedBlocks(page).flatMap(({ text }) => (/^jobs:$/m.test(text) ? [{ path: page.path, text }] : [])),
  );
  const written = [...onPages, { path: 'proofmark init', text: workflowOfInit() }];

  test('are shown where people look for them', () => {
    expect(written.map(({ path }) => path)).toEqual(expect.arrayContaining(['README.md', 'action/README.md']));
  });

  test.each(written)(
    'the one of $path gives the Action only inputs that it has, and each job exactly the rights it needs',
    ({ text }) => {
      const { jobs, permissions } = Workflow.parse(parse(text));
      expect(permissions).toEqual({});
      expect(Object.keys(jobs)).not.toEqual([]);
      for (const job of Object.values(jobs)) {
        const ours = job.steps.filter(({ uses }) => uses.includes('/proofmark/action@'));
        expect(ours).toHaveLength(1);
        expect(ours.flatMap((step) => Object.keys(step.with)).filter((name) => !(name in action.inputs))).toEqual([]);
        const rights = ours.some((step) => 'coordinator' in step.with)
          ? { contents: 'read', 'id-token': 'write' }
          : { contents: 'read', checks: 'write', 'pull-requests': 'write' };
        expect(job.permissions).toEqual(rights);
        const checkout = job.steps.find(({ uses }) => uses.startsWith('actions/checkout@'));
        expect(checkout?.with['persist-credentials']).toBe(false);
      }
    },
  );
});
