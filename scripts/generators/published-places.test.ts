import { expect, test } from 'vitest';
import { published, publishedAction } from '../../contracts/src/identity/published-names.ts';
import { withPublishedPlaces } from './published-places.ts';

const sha = 'a'.repeat(40);

test('a page that names another owner, registry or version follows', () => {
  expect(withPublishedPlaces('uses: OWNER/proofmark/action@v7')).toBe(`uses: ${publishedAction}`);
  expect(withPublishedPlaces('uses: OWNER/proofmark/action@<sha>')).toBe(`uses: ${published.repository}/action@<sha>`);
  expect(withPublishedPlaces(`uses: old/proofmark/action@${sha}`)).toBe(`uses: ${published.repository}/action@${sha}`);
  expect(withPublishedPlaces('see https://github.com/old-home/proofmark/blob/main/x.md')).toBe(
    `see https://github.com/${published.repository}/blob/main/x.md`,
  );
  expect(withPublishedPlaces('image: ghcr.io/old-home/proofmark-runner:1')).toBe(
    `image: ${published.imageRegistry}/proofmark-runner:1`,
  );
});

test('what is not ours stays', () => {
  const others = [
    `uses: actions/checkout@${sha}`,
    'https://github.com/apps/proofmark',
    'https://github.com/acme/proofmark-tools',
    'ghcr.io/acme/database:1',
    'pnpm --filter coordinator',
  ];
  expect(others.map(withPublishedPlaces)).toEqual(others);
});
