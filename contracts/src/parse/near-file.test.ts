import { expect, test } from 'vitest';
import { nearFile, noSuchFile } from './near-file.ts';

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
