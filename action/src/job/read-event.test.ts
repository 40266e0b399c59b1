import { expect, test } from 'vitest';
import { readJobEnvironment } from './environment.ts';
import { EventPayload, isBaseBranch, readEvent } from './read-event.ts';

const merge = 'c'.repeat(40);
const head = 'a'.repeat(40);

function read(eventName: string, payload: unknown, variables: Record<string, string> = {}) {
  const told = readJobEnvironment({
    GITHUB_EVENT_NAME: eventName,
    GITHUB_REPOSITORY_ID: '7',
    GITHUB_SHA: merge,
    GITHUB_REF: 'refs/heads/main',
    GITHUB_ACTOR: 'alice',
    ...variables,
  });
  if (!told.ok) throw new Error(told.problems.join('\n'));
  return readEvent(told.environment, EventPayload.parse(payload));
}

const pullRequest = (more: object = {}) => ({
  action: 'synchronize',
  before: null,
  repository: { id: 7, default_branch: 'main' },
  pull_request: { number: 3, head: { sha: head, repo: { id: 7 } }, base: { sha: 'b' }, user: null, ...more },
});

test('a pull request is evaluated at its head, not at the merge commit', () => {
  expect(read('pull_request', pullRequest({ title: 'Be curt' }))).toEqual({
    kind: 'run',
    trigger: {
      event: 'pull_request',
      headSha: head,
      baseSha: 'b',
      pullRequest: 3,
      ref: 'refs/heads/main',
      author: 'alice',
      title: 'Be curt',
      defaultBranch: 'main',
      withoutSecrets: null,
    },
  });
});

test('any other action on a pull request is as opened', () => {
  expect(read('pull_request', { ...pullRequest(), action: 'labeled' }).kind).toBe('run');
});

test('a head without a repository is a fork that is gone', () => {
  expect(read('pull_request', pullRequest({ head: { sha: head, repo: null } }))).toMatchObject({
    trigger: { withoutSecrets: 'Fork' },
  });
});

test('a job that Dependabot started has no secrets either', () => {
  const event = read('pull_request', pullRequest(), { GITHUB_ACTOR: 'dependabot[bot]' });
  expect(event).toMatchObject({ trigger: { withoutSecrets: 'Dependabot' } });
});

test('a merge group is evaluated against its base', () => {
  const payload = { merge_group: { head_sha: head, base_sha: 'b' } };
  expect(read('merge_group', payload)).toMatchObject({ kind: 'run', trigger: { headSha: head, baseSha: 'b' } });
});

test('a schedule and a dispatch are about the commit of the ref', () => {
  for (const event of ['schedule', 'workflow_dispatch']) {
    expect(read(event, {})).toMatchObject({ kind: 'run', trigger: { event, headSha: merge, pullRequest: null } });
  }
});

test('payload fields may be missing or null', () => {
  expect(read('push', { commits: null, installation: null, repository: null, after: null })).toMatchObject({
    kind: 'run',
    trigger: { headSha: merge, defaultBranch: null },
  });
});

test('an event without what it is about is refused', () => {
  expect(read('pull_request', {}).kind).toBe('refused');
  expect(read('merge_group', { merge_group: null }).kind).toBe('refused');
});

test('what would give fork content access to keys is refused', () => {
  expect(read('pull_request_target', pullRequest())).toEqual({
    kind: 'refused',
    message: 'Event pull_request_target is not supported: it would give fork content access to keys.',
  });
});

test('base branches are the default branch and those of the project', () => {
  const event = read('push', { repository: { id: 7, default_branch: 'trunk' } });
  if (event.kind !== 'run') throw new Error(event.message);
  const on = (ref: string) => isBaseBranch({ ...event.trigger, ref }, ['release']);
  expect(['trunk', 'release', 'main'].map((branch) => on(`refs/heads/${branch}`))).toEqual([true, true, false]);
});
