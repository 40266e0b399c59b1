import { expect, test } from 'vitest';
import { baseWords } from './base-words.ts';

test('a branch is called by its name', () => {
  expect(baseWords('main')).toEqual({ name: 'main', subject: 'Main', branch: 'main' });
  expect(baseWords('release/2.x').name).toBe('release/2.x');
});

test('a branch whose name is more than a name is called the base', () => {
  for (const branch of [undefined, '', '@everyone', 'a b', '[x](y)', '-x', 'x'.repeat(51)]) {
    expect(baseWords(branch).name).toBe('the base');
  }
});
