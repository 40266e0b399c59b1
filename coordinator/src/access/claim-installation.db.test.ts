import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { asWorker } from '../database/transactions.ts';
import { anInput, begin, newTenant, openStory } from '../story.fixture.ts';
import { claimInstallation } from './claim-installation.ts';
import { followInstallation } from './follow-installation.ts';
import { identifyJob } from './identify-job.ts';
import { releaseRepository } from './release-repository.ts';
import type { VerifyJobToken } from './verify-job-token.ts';

const { ledger, tenant: first } = await openStory();
const second = await newTenant(ledger);
const host = 'github.com';
const app = (installationId: string) => ({
  confirmInstallation: async () => ({ installationId, defaultBranch: 'main' }),
});

const claim = (installationId: string, tenantId: string) =>
  asWorker(ledger.database, (em) => claimInstallation(em, { host, installationId, tenantId }));

/** A token of a job of this repository, already checked. */
const tokenOf =
  (repositoryId: string): VerifyJobToken =>
  async () => ({
    ok: true,
    token: {
      jti: randomUUID(),
      expiresAtSeconds: Date.now() / 1000 + 600,
      pinned: { environment: undefined, job_workflow_ref: undefined, runner_environment: undefined },
      claims: {
        ...{
          host,
          repositoryId,
          ownerId: '7',
          repository: `acme/${repositoryId}`,
          event: 'push',
          ref: 'refs/heads/main',
        },
        ...{ workflowRunId: '1', workflowRunAttempt: '1', sha: null },
      },
    },
  });
const firstJob = async (repositoryId: string, installationId: string) =>
  identifyJob(
    { database: ledger.database, verify: tokenOf(repositoryId), installations: app(installationId) },
    'token',
  );

const enrol = (tenantId: string, externalId: string) =>
  ledger.query(
    `insert into repositories (tenant_id, host, external_id, owner_external_id, full_name) values ($1, $2, $3, '7', 'acme/x')`,
    [tenantId, host, externalId],
  );
const installed = async () =>
  Object.fromEntries(
    (
      await ledger.query<{ number: string; installation: string | null }>(
        'select external_id as number, installation_id as installation from repositories order by 1',
      )
    ).map(({ number, installation }) => [number, installation]),
  );

it('C6 an installation belongs to the tenant that has shown first that it is his, of two at once to one', async () => {
  expect(await claim('1', first.id)).toBe(true);
  expect(await claim('1', second.id)).toBe(false);
  expect(await claim('1', first.id)).toBe(true);
  const both = await Promise.all([claim('2', first.id), claim('2', second.id)]);
  expect(both.filter(Boolean)).toEqual([true]);
});

it('C6 further repositories of an installation come to its tenant, and to none while nobody has it', async () => {
  expect(await firstJob('70', '3')).toMatchObject({ ok: false, code: 'FORBIDDEN' });
  await claim('3', second.id);
  expect(await firstJob('71', '3')).toMatchObject({ ok: true, job: { tenantId: second.id, hasInstallation: true } });
});

it('C6 the App never works for a tenant on the installation of another one', async () => {
  await claim('4', first.id);
  await enrol(second.id, '80');
  await enrol(first.id, '81');
  await followInstallation(ledger.database, app('4'), { host, ownerExternalId: 7 });
  expect(await installed()).toMatchObject({ 80: null, 81: '4' });
});

it('C6 a repository that the operator releases goes to whoever shows next that it is his, with an installation that nobody needs any more', async () => {
  const release = (number: string) => releaseRepository(ledger.database, { host, number });
  await claim('5', first.id);
  for (const number of ['90', '91']) {
    expect(await firstJob(number, '5')).toMatchObject({ ok: true, job: { tenantId: first.id, hasInstallation: true } });
  }
  const trigger = { triggeredBy: 'ci' as const, host, repositoryExternalId: '90', headSha: 'a'.repeat(40) };
  const runId = await begin(ledger, first, anInput({ trigger }));
  expect(await release('90')).toEqual({
    ok: false,
    message: 'acme/90 has 1 active runs: cancel them, or let them end',
  });
  await ledger.query(`update runs set status = 'cancelled', completed_at = now() where id = $1`, [runId]);
  expect(await release('90')).toMatchObject({ ok: true, made: { repository: 'acme/90' } });
  expect(await release('90')).toEqual({ ok: false, message: 'No tenant has the repository 90 of github.com' });
  // The other repository still needs the installation, so that nobody else gets it, nor what is in it.
  expect(await firstJob('90', '5')).toMatchObject({ ok: true, job: { tenantId: first.id } });
  for (const number of ['90', '91']) expect(await release(number)).toMatchObject({ ok: true });
  expect(await claim('5', second.id)).toBe(true);
  expect(await firstJob('90', '5')).toMatchObject({ ok: true, job: { tenantId: second.id, hasInstallation: true } });
  // What its webhooks say is nothing to the tenant that had it.
  await followInstallation(ledger.database, app('5'), { host, ownerExternalId: 7 });
  const kept = await ledger.query<{ installation: string | null }>(
    `select installation_id as installation from repositories where tenant_id = $1 and full_name in ('acme/90', 'acme/91')`,
    [first.id],
  );
  expect(kept.map(({ installation }) => installation)).toEqual([null, null, null]);
});
