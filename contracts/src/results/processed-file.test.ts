import { expect, test } from 'vitest';
import { ProcessedFileInput } from './processed-file.ts';
import { shapeProblems } from './shape-problems.ts';

const file = {
  original: { path: 'docs/rules.pdf', type: 'pdf', description: 'The rules', pages: [2] },
  markdown_content: '# Rules',
  processing_time_ms: 12,
};
const problems = (fields: object): string[] =>
  shapeProblems(ProcessedFileInput, { ...file, ...fields }).map(({ path, code }) => `${code} ${path}`);

test('S0-45 S0-47 S0-48 a processed file keeps its entry, and has no facts, copy or error unless they are given', () => {
  expect(ProcessedFileInput.parse(file)).toEqual({ ...file, metadata: {}, cached_path: null, error: null });
});

test('S0-51 S0-53 unknown keys and negative times are refused', () => {
  expect(problems({ size: 1 })).toEqual(['unknown_field size']);
  expect(problems({ processing_time_ms: -1 })).toEqual(['out_of_range processing_time_ms']);
  expect(problems({ processing_time_ms: 1.5 })).toEqual(['invalid_type processing_time_ms']);
});

test('S0-52 without an error there is text', () => {
  expect(problems({ markdown_content: '' })).toEqual(['too_short markdown_content']);
  expect(problems({ markdown_content: '', error: 'The file is empty' })).toEqual([]);
});
