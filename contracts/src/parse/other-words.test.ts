import { expect, test } from 'vitest';
import { Check } from '../definitions/checks.ts';
import { standardMetrics } from '../definitions/standard-metrics.ts';
import { meantWord } from './other-words.ts';

const checks = Check.options.map((option) => option.shape.type.value);
const metrics = [...standardMetrics.keys()];

test.each([
  ['icontains', 'contains_phrases'],
  ['contains-all', 'contains_phrases'],
  ['not-icontains', 'not_contains'],
  ['llm-rubric', 'llm_judge'],
  ['similar', 'semantic_similarity'],
  ['exact_match', 'equals'],
  ['wordCount', 'length'],
  ['tool_calls', 'tool_count'],
  ['contain_phrases', 'contains_phrases'],
  ['is-json', 'is_json'],
])('a check that is called %s elsewhere is %s here', (theirs, ours) => {
  expect(meantWord(theirs, checks)).toBe(ours);
});

test.each([
  ['exact_match', 'equality'],
  ['f1_score', 'f1'],
  ['cosine-similarity', 'semantic_similarity'],
  ['rouge_l', 'rougeL'],
  ['groundednes', 'groundedness'],
])('a metric that is called %s elsewhere is %s here', (theirs, ours) => {
  expect(meantWord(theirs, metrics)).toBe(ours);
});

test('a word is never taken for one that is not possible there', () => {
  expect(meantWord('llm-rubric', ['daily', 'weekly'])).toBeUndefined();
  expect(meantWord('constructor', checks)).toBeUndefined();
});
