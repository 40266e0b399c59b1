import { expect, test } from 'vitest';
import { z } from 'zod';
import { judgedRuns, push, sha } from '../../judging/judged-runs.fixture.ts';
import { recordResults } from '../../ledger/record-results.ts';
import {
  anOutcome,
  claimAll,
  given,
  newRepository,
  newSession,
  newTenant,
  ownLedger,
  resultOf,
  suiteFile,
} from '../../story.fixture.ts';
import { follower } from '../ask.fixture.ts';

const Told = z.object({ data: z.object({ runsChanged: z.object({ id: z.string(), status: z.string() }) }) });

/** A ledger with a tenant, its repository, and a token that a test may revoke. */
async function world() {
  const ledger = await ownLedger();
  const tenant = await newTenant(ledger);
  await newRepository(ledger, tenant);
  const [token] = await ledger.query<{ id: string }>(
    `insert into api_tokens (tenant_id, name, token_hash, kind, scopes, user_id) values ($1, 'tv', 'x', 'api', '{admin}', $2) returning id`,
    [tenant.id, tenant.userId],
  );
  const caller = { ...tenant.caller, tokenId: given(token).id };
  return { ledger, tenant, caller };
}

test('whoever follows a repository is told each run once, and again after each change, and nothing of others', async () => {
  const { ledger, tenant, caller } = await world();
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

const Result = z.object({ data: z.object({ runResults: z.object({ caseName: z.string(), status: z.string() }) }) });

test('whoever follows the results of a run is told each once, those before it came and those after, until the run has ended', async () => {
  const { ledger, tenant, caller } = await world();
  const runs = judgedRuns(ledger, tenant);
  const runId = await runs.start({ trigger: { triggeredBy: 'api' }, text: suiteFile({ cases: 3 }) });
  const leased = await claimAll(ledger, runId, await newSession(ledger));
  await recordResults(ledger.database, [resultOf(given(leased[0]))]);

  const hints = follower(ledger);
  const told = hints.follow(caller, `subscription { runResults(id: "${runId}") { caseName status } }`);
  const next = async () => Result.parse(await told.next()).data.runResults;
  hints.hint();
  expect(await next()).toEqual({ caseName: 'case 1', status: 'PASSED' });
  await recordResults(
    ledger.database,
    leased.slice(1).map((one) => resultOf(one, anOutcome({ status: 'failed' }))),
  );
  await runs.judge(runId);
  hints.hint();
  const rest = [await next(), await next()].toSorted((a, b) => a.caseName.localeCompare(b.caseName));
  expect(rest).toEqual([
    { caseName: 'case 2', status: 'FAILED' },
    { caseName: 'case 3', status: 'FAILED' },
  ]);
  expect(await told.next()).toBeNull();
  const unknown = hints.follow(
    caller,
    'subscription { runResults(id: "00000000-0000-4000-8000-000000000000") { id } }',
  );
  expect(await unknown.next()).toBeNull();
});

const Counted = z.object({
  data: z.object({
    runProgress: z.object({ openCases: z.number(), suiteRuns: z.array(z.object({ openCases: z.number() })) }),
  }),
});

test('each event of a run that somebody follows tells all of it as it is then, not only the run itself', async () => {
  const { ledger, tenant, caller } = await world();
  const runs = judgedRuns(ledger, tenant);
  const runId = await runs.start({ trigger: { triggeredBy: 'api' }, text: suiteFile({ cases: 3 }) });
  const leased = await claimAll(ledger, runId, await newSession(ledger));
  const hints = follower(ledger);
  const told = hints.follow(
    caller,
    `subscription { runProgress(id: "${runId}") { openCases suiteRuns { openCases } } }`,
  );
  const next = async () => Counted.parse(await told.next()).data.runProgress;
  hints.hint();
  expect(await next()).toEqual({ openCases: 3, suiteRuns: [{ openCases: 3 }] });
  await recordResults(ledger.database, [resultOf(given(leased[0]))]);
  hints.hint();
  expect(await next()).toEqual({ openCases: 2, suiteRuns: [{ openCases: 2 }] });
});
