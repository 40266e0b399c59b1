import { expect, test } from 'vitest';
import { z } from 'zod';
import { judgedRuns, push, sha } from '../../judging/judged-runs.fixture.ts';
import { given, newRepository, newTenant, ownLedger, suiteFile } from '../../story.fixture.ts';
import { follower } from '../ask.fixture.ts';

const Told = z.object({ data: z.object({ runsChanged: z.object({ id: z.string(), status: z.string() }) }) });

test('whoever follows a repository is told each run once, and again after each change, and nothing of others', async () => {
  const ledger = await ownLedger();
  const tenant = await newTenant(ledger);
  await newRepository(ledger, tenant);
  const [token] = await ledger.query<{ id: string }>(
    `insert into api_tokens (tenant_id, name, token_hash, kind, scopes, user_id) values ($1, 'tv', 'x', 'api', '{admin}', $2) returning id`,
    [tenant.id, tenant.userId],
  );
  const caller = { ...tenant.caller, tokenId: given(token).id };
  const runs = judgedRuns(ledger, tenant);
  const first = await runs.start({ trigger: { ...push, headSha: sha('a') }, text: suiteFile() });
  await runs.start({ trigger: { triggeredBy: 'api' }, text: suiteFile({ name: 'Elsewhere' }) });

  const hints = follower(ledger);
  const told = hints.follow(caller, 'subscription { runsChanged(repository: "acme/shop") { id status } }');
  const next = async () => Told.parse(await told.next()).data.runsChanged;
  hints.hint();
  expect(await next()).toEqual({ id: first, status: 'PENDING' });
  await runs.execute(first, () => true);
  await runs.judge(first);
  hints.hint();
  expect(await next()).toEqual({ id: first, status: 'COMPLETED' });
  const second = await runs.start({ trigger: { ...push, headSha: sha('b') }, text: suiteFile() });
  hints.hint();
  expect(await next()).toEqual({ id: second, status: 'PENDING' });
  await ledger.query('update api_tokens set revoked_at = now() where id = $1', [caller.tokenId]);
  hints.hint();
  expect(await told.next()).toBeNull();
});
