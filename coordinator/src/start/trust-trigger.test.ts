import { Trigger } from '@proofmark/contracts/start-run-input';
import { describe, expect, it } from 'vitest';
import type { Caller, RunClaims } from '../access/caller.ts';
import { isBaseRun, isProposal, trustedTrigger } from './trust-trigger.ts';

const sha = (letter: string) => letter.repeat(40);
const claims: RunClaims = {
  host: 'github.com',
  repositoryId: '77',
  ownerId: '7',
  repository: 'acme/shop',
  workflowRunId: '1001',
  workflowRunAttempt: '2',
  event: 'pull_request',
  ref: 'refs/pull/12/merge',
  sha: sha('f'),
};
const caller: Caller = {
  tenantId: 't',
  userId: 'u',
  tokenId: 'k',
  kind: 'run',
  scopes: new Set(['runs:write']),
  repositoryId: 'r',
  claims,
};
const trigger = (given: Partial<Trigger> = {}) => Trigger.parse({ triggeredBy: 'ci', ...given });

describe('the trigger of a CI job', () => {
  it('comes from the token, except for the head of a pull request, which the token does not hold', () => {
    const said = trigger({
      event: 'push',
      ref: 'refs/heads/main',
      headSha: sha('a'),
      pullRequest: 99,
      workflowRunId: '5',
    });
    expect(trustedTrigger(caller, said)).toMatchObject({
      triggeredBy: 'ci',
      event: 'pull_request',
      ref: 'refs/pull/12/merge',
      repositoryExternalId: '77',
      repositoryFullName: 'acme/shop',
      workflowRunId: '1001',
      workflowRunAttempt: '2',
      headSha: sha('a'),
      pullRequest: 12,
    });
  });

  it('has the commit of the token for a push, whatever the job says', () => {
    const push = { ...caller, claims: { ...claims, event: 'push', ref: 'refs/heads/main' } };
    expect(trustedTrigger(push, trigger({ headSha: sha('a'), pullRequest: 4 }))).toMatchObject({
      headSha: sha('f'),
      pullRequest: null,
    });
  });

  it('is a schedule when the token says so', () => {
    const scheduled = { ...caller, claims: { ...claims, event: 'schedule', ref: 'refs/heads/main' } };
    expect(trustedTrigger(scheduled, trigger()).triggeredBy).toBe('schedule');
  });

  it('is what an API token says, as nobody else knows', () => {
    const api: Caller = { ...caller, kind: 'api', claims: null };
    const said = trigger({ event: 'push', pullRequest: 3 });
    expect(trustedTrigger(api, said)).toEqual(said);
  });
});

describe('a base run', () => {
  const push = trigger({ event: 'push', ref: 'refs/heads/main', headSha: sha('a'), repositoryExternalId: '77' });
  const question = { trigger: push, defaultBranch: 'main', baselineBranches: [], mayWriteBase: true };

  it('is a push, schedule or dispatch on the default branch or a baseline branch', () => {
    expect(isBaseRun(question)).toBe(true);
    expect(isBaseRun({ ...question, trigger: { ...push, event: 'schedule' } })).toBe(true);
    expect(isBaseRun({ ...question, trigger: { ...push, ref: 'refs/heads/next' } })).toBe(false);
    expect(isBaseRun({ ...question, trigger: { ...push, ref: 'refs/heads/next' }, baselineBranches: ['next'] })).toBe(
      true,
    );
  });

  it('is main or master where nobody knows the default branch', () => {
    expect(isBaseRun({ ...question, defaultBranch: null })).toBe(true);
    expect(isBaseRun({ ...question, defaultBranch: 'trunk' })).toBe(false);
  });

  it.each([
    ['a pull request', { pullRequest: 1 }],
    ['a merge group', { event: 'merge_group' }],
    ['a run without a commit', { headSha: null }],
    ['a run without a repository', { repositoryExternalId: null }],
    ['a tag of the same name', { ref: 'refs/tags/main' }],
  ])('is never %s', (_what, change) => {
    expect(isBaseRun({ ...question, trigger: { ...push, ...change } })).toBe(false);
  });

  it('needs a caller who may write it', () => {
    expect(isBaseRun({ ...question, mayWriteBase: false })).toBe(false);
  });
});

it('takes pull requests and merge groups as proposals', () => {
  expect(isProposal(trigger({ pullRequest: 1 }))).toBe(true);
  expect(isProposal(trigger({ event: 'merge_group' }))).toBe(true);
  expect(isProposal(trigger({ event: 'push' }))).toBe(false);
});
