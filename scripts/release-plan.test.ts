import { expect, test } from 'vitest';
import { published } from '../contracts/src/identity/published-names.ts';
import { planRelease } from './release-plan.ts';

const major = published.actionVersion.slice(1);
const version = `${major}.2.3`;
const changelog = `# proofmark\n\n## ${version}\n\n### Minor Changes\n\n- abc: Something new.\n\n## ${major}.2.2\n\n- older\n`;

test('a release publishes the packages, the images, one tag that stays and one that moves', () => {
  expect(planRelease({ version, changelog, pending: [], repository: published.repository })).toEqual({
    ok: true,
    plan: {
      version,
      tag: `v${version}`,
      movingTag: published.actionVersion,
      packages: ['@proofmark/client', 'proofmark-coordinator', 'proofmark-runner', 'proofmark'],
      images: [
        `${published.imageRegistry}/proofmark-coordinator:${version}`,
        `${published.imageRegistry}/proofmark-runner:${version}`,
      ],
      notes: '### Minor Changes\n\n- abc: Something new.',
    },
  });
});

test('everything that keeps it from being published is told at once', () => {
  const state = { version: '99.0.0', changelog, pending: ['quick-fox.md'], repository: 'somebody/fork' };
  expect(planRelease(state)).toEqual({
    ok: false,
    problems: [
      expect.stringContaining('quick-fox.md: not part of a version yet'),
      'CHANGELOG.md has no section 99.0.0',
      expect.stringContaining('moves the tag v99'),
      expect.stringContaining('This runs in somebody/fork'),
    ],
  });
});
