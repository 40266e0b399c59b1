import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { definitionSchemas } from '@proofmark/contracts/definition-schemas';
import { loadDefinitions } from '@proofmark/contracts/load-definitions';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const examples = join(import.meta.dirname, '../../examples');
const projects = globSync('*/proofmark.yaml', { cwd: examples }).map((path) => path.split('/')[0] ?? '');

const readIn = (root: string) => (path: string) => {
  const file = join(root, path);
  return globSync(path, { cwd: root }).length > 0 ? readFileSync(file) : undefined;
};

test.each(projects)('the example %s loads without a problem (S1-58…S1-62)', (project) => {
  const root = join(examples, project);
  const glob = (pattern: string): string[] => globSync(pattern, { cwd: root }).sort();
  const { definitions, problems } = loadDefinitions({
    suitePaths: glob('**/*.suite.yaml'),
    projectPath: 'proofmark.yaml',
    read: readIn(root),
    glob,
    exists: (path) => glob(path).length > 0,
  });
  expect(problems).toEqual([]);
  expect(definitions.suites.length).toBeGreaterThan(0);
});

test('the five kinds of simulated case are among the examples (S1-58…S1-62)', () => {
  const cases = globSync('seeds/cases/*.case.yaml', { cwd: examples });
  const tags = cases.flatMap(
    (path) => z.object({ tags: z.array(z.string()) }).parse(parse(readFileSync(join(examples, path), 'utf8'))).tags,
  );
  expect([...new Set(tags)].sort()).toEqual(['edge-case', 'multi-turn', 'normal', 'red-team', 'tool-heavy']);
});

describe('the published JSON Schemas', () => {
  const schemas = new Map(Object.entries(definitionSchemas()));
  const files = globSync('**/*.yaml', { cwd: examples });
  const named = files.flatMap((file) => {
    const text = readFileSync(join(examples, file), 'utf8');
    const name = /^# yaml-language-server: \$schema=\S*\/([a-z-]+\.schema\.json)$/m.exec(text)?.[1];
    return name === undefined ? [] : [{ file, name, text }];
  });

  test('exist for every kind of file', () => {
    expect([...schemas.keys()]).toEqual([
      'project.schema.json',
      'suite.schema.json',
      'agent.schema.json',
      'case.schema.json',
      'test-type.schema.json',
    ]);
    expect(named.length).toBeGreaterThan(10);
  });

  test.each(named)('accept $file, which names $name', ({ name, text }) => {
    const schema = z.fromJSONSchema({ ...schemas.get(name) });
    expect(schema.safeParse(parse(text)).error?.issues ?? []).toEqual([]);
  });

  test('offer the tags of seed 001 to a project that has none yet (S1-17)', () => {
    const Tags = z.object({
      properties: z.object({
        tags: z.object({ anyOf: z.array(z.object({ items: z.object({ examples: z.array(z.string()) }).optional() })) }),
      }),
    });
    const [list] = Tags.parse(schemas.get('case.schema.json')).properties.tags.anyOf;
    expect(list?.items?.examples).toEqual(['normal', 'red-team', 'edge-case']);
  });

  test('say what every key of a suite and of a case is for', () => {
    for (const name of ['suite.schema.json', 'case.schema.json', 'project.schema.json']) {
      const { properties } = z
        .object({ properties: z.record(z.string(), z.object({ description: z.string().optional() })) })
        .parse(schemas.get(name));
      expect(
        Object.entries(properties)
          .filter(([, { description }]) => description === undefined)
          .map(([key]) => key),
      ).toEqual([]);
    }
  });
});
