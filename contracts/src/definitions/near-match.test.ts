import { expect, test } from 'vitest';
import { checkTypes } from './checks.ts';
import { standardMetrics } from './metrics.ts';
import { meantWord, nearFile, noSuchFile } from './near-match.ts';

const files = [
  'agents/support.agent.yaml',
  'agents/sales.agent.yaml',
  'prompts/support.md',
  'a.yaml',
  'x/y/deep.md',
  'x/deep.md',
];

test.each([
  ['agents/suport.agent.yaml', 'agents/support.agent.yaml'],
  ['agents/support.agent.yml', 'agents/support.agent.yaml'],
  ['prompts/support.agent.yaml', 'agents/support.agent.yaml'],
  ['deep.md', 'x/deep.md'],
  ['b/unheard-of.json', undefined],
])('%s was probably meant to be %s', (path, expected) => {
  expect(nearFile(path, files)).toBe(expected);
});

test('without a listing nothing is suggested', () => {
  expect(noSuchFile('agents/suport.agent.yaml')).toBe('there is no file `agents/suport.agent.yaml`');
  expect(noSuchFile('agents/suport.agent.yaml', files)).toBe(
    'there is no file `agents/suport.agent.yaml`, did you mean `agents/support.agent.yaml`?',
  );
});

const checks = checkTypes;
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
