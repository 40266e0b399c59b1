import { expect, it } from 'vitest';
import type { Caller } from '../../access/caller.ts';
import { startRun } from '../../start/start-run.ts';
import { anInput, newRepository, newTenant, openStory, portsOf } from '../../story.fixture.ts';
import { asker } from '../ask.fixture.ts';

const { ledger } = await openStory();
const tenant = await newTenant(ledger);
const repositoryId = await newRepository(ledger, tenant);
const ask = asker(ledger);

const job = (workflowRunId: string): Caller => ({
  ...tenant.caller,
  kind: 'run',
  scopes: new Set(['runs:read', 'runs:write']),
  repositoryId,
  claims: {
    ...{ host: 'github.com', repositoryId: '77', ownerId: '7', repository: 'acme/shop', workflowRunId },
    ...{ workflowRunAttempt: '1', event: 'pull_request', ref: 'refs/pull/12/merge', sha: 'f'.repeat(40) },
  },
});

const runId = async (caller: Caller) => {
  const trigger = {
    triggeredBy: 'ci' as const,
    host: 'github.com',
    repositoryExternalId: '77',
    headSha: 'a'.repeat(40),
  };
  const answer = await startRun(portsOf(ledger), caller, anInput({ trigger }));
  return answer.ok ? answer.runId : JSON.stringify(answer.error);
};

it('the token of a job reads the run that it has joined, with its suite runs, and no other workflow reads it', async () => {
  const id = await runId(job('1'));
  const read = async (caller: Caller) =>
    (await ask(caller, `{ run(id: "${id}") { id suiteRuns { suiteName } } }`)).data;
  expect(await read(job('2'))).toEqual({ run: null });
  expect(await runId(job('2'))).toBe(id);
  const seen = { run: { id, suiteRuns: [{ suiteName: 'Support' }] } };
  expect([await read(job('1')), await read(job('2'))]).toEqual([seen, seen]);
  expect(await read(job('3'))).toEqual({ run: null });
});
