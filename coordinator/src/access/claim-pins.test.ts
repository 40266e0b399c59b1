import { expect, test } from 'vitest';
import { type ClaimPins, matchesPins } from './claim-pins.ts';

const job = {
  job_workflow_ref: 'acme/shop/.github/workflows/evals.yml@refs/pull/7/merge',
  environment: undefined,
  runner_environment: 'github-hosted',
};

test.each<[string, ClaimPins | null, boolean]>([
  ['nothing is pinned', null, true],
  ['the claim says the very text', { runner_environment: 'github-hosted' }, true],
  ['the claim says something else', { runner_environment: 'self-hosted' }, false],
  ['it begins as the pin does', { job_workflow_ref: 'acme/shop/.github/workflows/evals.yml@*' }, true],
  ['it begins otherwise', { job_workflow_ref: 'acme/shop/.github/workflows/other.yml@*' }, false],
  ['a pin without * is only its beginning', { job_workflow_ref: 'acme/shop/' }, false],
  ['the token has no such claim', { environment: 'production' }, false],
  ['the token has no such claim, and any would do', { environment: '*' }, false],
  ['one of two fits', { runner_environment: 'github-hosted', environment: 'production' }, false],
  ['a newer version pins what this one does not know', Object({ actor_id: '*' }), false],
])('of a job where %s', (_what, pins, isLetIn) => {
  expect(matchesPins(pins, job)).toBe(isLetIn);
});
