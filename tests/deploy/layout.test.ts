import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const root = join(import.meta.dirname, '../..');
const sources = globSync(
  '{action,cli,client,contracts,coordinator,domain,embedded,process,runner-agent}/**/*.ts',
  // What only tests import, the product does not use.
  { cwd: root, exclude: ['**/node_modules', '**/dist', '**/*.test.ts', '**/*.fixture.ts'] },
);
const imported = new Set(
  sources.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, name]) => name ?? ''),
  ),
);

test('D-01 the action runs bundles that are in the repository', () => {
  const Action = z.object({ runs: z.object({ using: z.string(), main: z.string(), post: z.string() }) });
  const { runs } = Action.parse(parse(readFileSync(join(root, 'action/action.yml'), 'utf8')));
  expect(runs.using).toMatch(/^node\d+$/);
  for (const path of [runs.main, runs.post]) expect(statSync(join(root, 'action', path)).isFile()).toBe(true);
});

test.each([
  '@actions/core',
  '@actions/github',
  'graphql-yoga',
  '@pothos/core',
  '@mikro-orm/core',
  '@mikro-orm/postgresql',
  '@nats-io/transport-node',
  '@nats-io/jetstream',
  'openai',
  'zod',
])('D-02 the package %s is imported, not only declared', (name) => {
  expect([...imported].filter((path) => path === name || path.startsWith(`${name}/`))).not.toEqual([]);
});

test('D-03 the top level has the folders and files of the design', () => {
  const names = ['package.json', 'pnpm-workspace.yaml', 'schema.graphql', 'action', 'coordinator', 'runner-agent'];
  for (const name of [...names, 'deploy', 'tests'])
    expect(statSync(join(root, name)).isFile()).toBe(name.includes('.'));
});
