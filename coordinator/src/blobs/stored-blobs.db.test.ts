import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startRun } from '../start/start-run.ts';
import { startScheduledRun } from '../start/start-scheduled-run.ts';
import {
  anInput,
  begin,
  claimAll,
  given,
  leases,
  newRepository,
  newSession,
  newTenant,
  ownLedger,
  portsOf,
  suiteFile,
  type Tenant,
} from '../story.fixture.ts';
import { retention } from '../upkeep/retention.ts';
import { readBlob, storeBlob } from './stored-blobs.ts';

const ledger = await ownLedger();

const path = 'evals/support.suite.yaml';
const withFile = (extra = '') => [
  { path, text: `${suiteFile({ cases: 1, extra })}    files: [{ path: docs/hours.txt, type: text }]\n` },
];
const digestOf = (content: string) => createHash('sha256').update(content).digest('hex');
const caseFiles = (content: string) => [{ path: 'docs/hours.txt', sha256: digestOf(content) }];
const aGigabyte = 1024 ** 3;

const upload = (tenant: Tenant, content: string, quotaBytes = aGigabyte) =>
  storeBlob(ledger.database, tenant.caller, { digest: digestOf(content), content: Buffer.from(content) }, quotaBytes);
const blobsOf = (tenant: Tenant) =>
  ledger.query<{ content: Buffer }>('select content from blobs where tenant_id = $1 order by digest', [tenant.id]);
const leasesOf = (runId: string) =>
  ledger.query<{ contents: unknown; hash: string; variant: string }>(
    `select contents, case_hash as hash, variant from ${leases} l where run_id = $1 order by variant, repetition`,
    [runId],
  );

describe('the files of cases', () => {
  it('are asked for when the tenant lacks them, and the same key starts the run once they are there', async () => {
    const [tenant, other] = [await newTenant(ledger), await newTenant(ledger)];
    await upload(other, '9 to 17');
    const input = anInput({ files: withFile(), caseFiles: caseFiles('9 to 17') });
    expect(await startRun(portsOf(ledger), tenant.caller, input)).toEqual({
      ok: false,
      error: { code: 'MISSING_BLOBS', digests: [digestOf('9 to 17')] },
    });
    expect(await ledger.query('select id from runs where tenant_id = $1', [tenant.id])).toEqual([]);

    await upload(tenant, '9 to 17');
    const started = await startRun(portsOf(ledger), tenant.caller, input);
    expect(started).toMatchObject({ ok: true, created: true });
    const runId = started.ok ? started.runId : '';
    expect((await leasesOf(runId)).map(({ contents }) => contents)).toEqual([caseFiles('9 to 17')]);
    expect(await ledger.query('select digest from run_blobs where run_id = $1', [runId])).toEqual([
      { digest: digestOf('9 to 17') },
    ]);
  });

  it('are part of what a case is: another content is another case', async () => {
    const tenant = await newTenant(ledger);
    await upload(tenant, 'one');
    await upload(tenant, 'two');
    const hashOf = async (content: string) => {
      const runId = await begin(ledger, tenant, anInput({ files: withFile(), caseFiles: caseFiles(content) }));
      return given((await leasesOf(runId))[0]).hash;
    };
    const hashes = [await hashOf('one'), await hashOf('two'), await hashOf('one')];
    expect(hashes[0]).toBe(hashes[2]);
    expect(hashes[0]).not.toBe(hashes[1]);
  });

  it('are those of the head on both sides where the base runs beside a pull request', async () => {
    const tenant = await newTenant(ledger);
    await newRepository(ledger, tenant);
    await upload(tenant, 'old');
    await upload(tenant, 'new');
    const push = {
      triggeredBy: 'ci' as const,
      event: 'push',
      host: 'github.com',
      repositoryExternalId: '77',
      ref: 'refs/heads/main',
      headSha: 'a'.repeat(40),
    };
    const pull = { ...push, event: 'pull_request', ref: 'refs/pull/3/merge', pullRequest: 3, headSha: 'b'.repeat(40) };
    await begin(ledger, tenant, anInput({ files: withFile(), caseFiles: caseFiles('old'), trigger: push }));
    const proposal = { ...pull, baseSha: 'a'.repeat(40) };
    const runId = await begin(
      ledger,
      tenant,
      anInput({ files: withFile(), caseFiles: caseFiles('new'), trigger: proposal }),
    );
    const leases = await leasesOf(runId);
    const sideOf = (side: string) => given(leases.find(({ variant }) => variant === side));
    expect(sideOf('candidate').contents).toEqual(caseFiles('new'));
    expect(sideOf('baseline')).toMatchObject({ contents: caseFiles('new'), hash: sideOf('candidate').hash });
  });

  it('are found again when the suite runs by its schedule', async () => {
    const tenant = await newTenant(ledger);
    await upload(tenant, 'kept');
    const runId = await begin(
      ledger,
      tenant,
      anInput({ files: withFile('schedule_type: hourly'), caseFiles: caseFiles('kept') }),
    );
    const [{ suiteId } = { suiteId: '' }] = await ledger.query<{ suiteId: string }>(
      'select suite_id as "suiteId" from test_suite_runs where run_id = $1',
      [runId],
    );
    const scheduled = await startScheduledRun(portsOf(ledger), {
      tenantId: tenant.id,
      suiteId,
      createdBy: tenant.userId,
      windowStart: new Date('2099-01-01T10:00:00Z'),
    });
    const contents = scheduled.ok ? (await leasesOf(scheduled.runId)).map((lease) => lease.contents) : [];
    expect(contents).toEqual([caseFiles('kept')]);
  });

  it('may be unknown: then the run starts, and the runner says what is missing', async () => {
    const tenant = await newTenant(ledger);
    const runId = await begin(ledger, tenant, anInput({ files: withFile() }));
    expect((await leasesOf(runId)).map(({ contents }) => contents)).toEqual([null]);
  });
});

describe('uploaded contents', () => {
  it('are kept once per tenant, up to its quota (F8)', async () => {
    const [tenant, other] = [await newTenant(ledger), await newTenant(ledger)];
    expect(await upload(tenant, '12345', 8)).toEqual({ ok: true, created: true });
    expect(await upload(tenant, '12345', 8)).toEqual({ ok: true, created: false });
    expect(await upload(tenant, '6789', 8)).toEqual({ ok: false, reason: 'over-quota', usedBytes: 5 });
    expect(await upload(other, '6789', 8)).toEqual({ ok: true, created: true });
    expect((await blobsOf(tenant)).map(({ content }) => content.toString())).toEqual(['12345']);
  });

  it('never pass the quota together when they come at the same moment (F8)', async () => {
    const tenant = await newTenant(ledger);
    const stored = await Promise.all(['aaaa', 'bbbb', 'cccc', 'dddd'].map((content) => upload(tenant, content, 10)));
    expect(stored.filter(({ ok }) => ok)).toHaveLength(2);
    expect(await blobsOf(tenant)).toHaveLength(2);
  });

  it('are handed out to the attempt they are signed for, while it lasts (C8)', async () => {
    const tenant = await newTenant(ledger);
    await upload(tenant, 'secret');
    const runId = await begin(ledger, tenant, anInput({ files: withFile(), caseFiles: caseFiles('secret') }));
    const { chunkId, attempt } = given((await claimAll(ledger, runId, await newSession(ledger)))[0]);
    const soon = Math.floor(Date.now() / 1000) + 600;
    const grant = { tenant: tenant.id, chunk: chunkId, attempt, expires: soon };
    const read = async (changes: Partial<typeof grant> = {}) =>
      (await readBlob(ledger.database, digestOf('secret'), { ...grant, ...changes }))?.toString();

    expect(await read()).toBe('secret');
    expect(await read({ expires: soon - 1200 })).toBeUndefined();
    expect(await read({ attempt: attempt + 1 })).toBeUndefined();
    expect(await read({ tenant: (await newTenant(ledger)).id })).toBeUndefined();
    await ledger.query(`update chunks set state = 'done' where id = $1`, [chunkId]);
    expect(await read()).toBeUndefined();
  });

  it('stay as long as a run needs them, and go a day after nobody does', async () => {
    const tenant = await newTenant(ledger);
    for (const content of ['needed', 'forgotten', 'fresh']) await upload(tenant, content);
    await begin(ledger, tenant, anInput({ files: withFile(), caseFiles: caseFiles('needed') }));
    await ledger.query(
      `update blobs set created_at = now() - interval '2 days' where tenant_id = $1 and digest <> $2`,
      [tenant.id, digestOf('fresh')],
    );
    await ledger.query(`update tenants set created_at = now() - interval '3 years' where id = $1`, [tenant.id]);
    const quiet = { info: () => undefined, warn: () => undefined };
    await retention({ database: ledger.database, variables: {}, log: quiet }).run(new AbortController().signal);
    const left = (await blobsOf(tenant)).map(({ content }) => content.toString());
    expect(left.toSorted()).toEqual(['fresh', 'needed']);
  });
});
