import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { queries } from '../../dashboard/src/queries.ts';
import { repositoryRoot } from '../stack/processes.ts';

const schema = buildSchema(readFileSync(join(repositoryRoot, 'schema.graphql'), 'utf8'));
const bundle = readFileSync(join(repositoryRoot, 'dashboard/dist/app.js'), 'utf8');

test.each(Object.entries(queries))(
  'the query "%s" of the page fits the schema, and is what the page was built with',
  (_name, text) => {
    expect(validate(schema, parse(text)).map(({ message }) => message)).toEqual([]);
    expect(bundle).toContain(text.split('(')[0]);
  },
);

test('a query that does not fit would be found', () => {
  expect(validate(schema, parse('{ run(id: "x") { nothing } }'))).not.toEqual([]);
});

test('the page loads nothing but its own files, and holds no script or style of its own', () => {
  const html = readFileSync(join(repositoryRoot, 'dashboard/static/index.html'), 'utf8');
  const addresses = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address);
  expect(addresses.toSorted()).toEqual(['#content', '/', '/assets/app.js', '/assets/icon.svg', '/assets/style.css']);
  expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
  expect(readFileSync(join(repositoryRoot, 'dashboard/static/style.css'), 'utf8')).not.toMatch(/url\(|@import/);
});
