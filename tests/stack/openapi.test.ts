import { expect, test } from 'vitest';
import { readDescription } from './github/openapi.ts';
import { startGithub } from './github-server.ts';

test('what fits GitHub passes, and what its description does not allow is named', async () => {
  const problemsOf = await readDescription();
  const check = { method: 'POST', path: '/repos/acme/shop/check-runs', query: '' };
  const output = { title: 'Regressed', summary: 'Worse.' };
  const head_sha = 'a'.repeat(40);
  const completed = { name: 'proofmark', head_sha, status: 'completed', conclusion: 'failure', output };
  expect(problemsOf({ ...check, body: completed })).toEqual([]);
  const button = { label: 'A label of more than 20', description: 'x', identifier: 'x' };
  expect(problemsOf({ ...check, body: { ...completed, actions: [button] } })).toEqual([
    expect.stringContaining('the body.actions.0.label must NOT have more than 20 characters'),
  ]);
  const annotation = { path: 'a', start_line: 1, end_line: 1, annotation_level: 'failure', message: 'x' };
  const many = { ...output, annotations: Array.from({ length: 51 }, () => annotation) };
  expect(problemsOf({ ...check, body: { ...completed, output: many } })).toEqual([
    expect.stringContaining('must NOT have more than 50 items'),
  ]);
  expect(problemsOf({ ...check, body: { head_sha } })).toContainEqual(
    expect.stringContaining("required property 'name'"),
  );
  const list = { method: 'GET', path: `/repos/acme/shop/commits/${head_sha}/check-runs`, body: undefined };
  expect(problemsOf({ ...list, query: '?check_name=x&app_id=1&filter=all&per_page=100&page=1' })).toEqual([]);
  expect(problemsOf({ ...list, query: '?filter=newest&colour=red' })).toEqual([
    expect.stringContaining('there is no parameter colour'),
    expect.stringContaining('the parameter filter must be equal to one of the allowed values'),
  ]);
  expect(problemsOf({ ...list, query: '', path: '/repos/acme/shop/check-walks' })).toEqual([
    'GET /repos/acme/shop/check-walks: there is no such operation',
  ]);
});

test('a server of which more was asked than GitHub describes says so when it stops', async () => {
  const github = await startGithub();
  await fetch(`${github.apiUrl}/repos/acme/shop/no-such-thing`);
  await expect(github.stop()).rejects.toThrow('GET /repos/acme/shop/no-such-thing: there is no such operation');
});
