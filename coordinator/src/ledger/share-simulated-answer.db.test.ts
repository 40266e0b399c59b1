import type { CassetteEntry } from '@proofmark/contracts/cassette';
import { expect, it } from 'vitest';
import { inTenant } from '../database/transactions.ts';
import {
  anInput,
  begin,
  chunkOf,
  claimAll,
  given,
  type Leased,
  newSession,
  newTenant,
  openStory,
  suiteFile,
  type Tenant,
} from '../story.fixture.ts';
import { shareSimulatedAnswer } from './share-simulated-answer.ts';

const { ledger, tenant } = await openStory();

const key = 'a'.repeat(64);
const answer = (result: CassetteEntry['result']): CassetteEntry => ({
  key,
  tool: 'search',
  args: { q: 'lamp' },
  result,
});

/** Held attempts of a new run of this suite, each by a session of its own. */
async function held(of: Tenant, name: string, count = 1): Promise<Leased[]> {
  const path = `${name}.suite.yaml`;
  const input = anInput({
    files: [{ path, text: suiteFile({ name, cases: 1, repetitions: count }) }],
    suitePaths: [path],
  });
  return await claimAll(ledger, await begin(ledger, of, input), await newSession(ledger));
}

const ask = async (attempt: Leased, entry?: CassetteEntry) =>
  await shareSimulatedAnswer(ledger.database, {
    ...{ ...chunkOf(attempt), sessionId: attempt.sessionId, key },
    ...(entry && { entry }),
  });

const known = (entry: CassetteEntry | null) => ({ lease: 'held', known: entry });

it('tells every test run of a run the answer that was recorded first', async () => {
  const [one, other] = await held(tenant, 'first', 2);
  expect(await ask(given(one))).toEqual(known(null));
  const both = await Promise.all([ask(given(one), answer('one')), ask(given(other), answer('other'))]);
  expect(both[0]).toEqual(both[1]);
  expect([known(answer('one')), known(answer('other'))]).toContainEqual(both[0]);
  expect(await ask(given(other), answer('later'))).toEqual(both[0]);
});

it('answers only the attempt that is held, whatever the message says', async () => {
  const attempt = given((await held(tenant, 'fence'))[0]);
  const foreign = await newSession(ledger);
  expect(await ask({ ...attempt, sessionId: foreign }, answer('forged'))).toEqual({ lease: 'lost' });
  expect(await ask({ ...attempt, attempt: 7 }, answer('forged'))).toEqual({ lease: 'lost' });
  expect(await ask(attempt)).toEqual(known(null));
});

it('hears what an earlier run of the suite heard, because it may be compared with that, and keeps a copy', async () => {
  const [earlier] = await held(tenant, 'compared');
  await ask(given(earlier), answer('then'));
  const [later] = await held(tenant, 'compared');
  expect(await ask(given(later), answer('now'))).toEqual(known(answer('then')));
  await ledger.query('delete from simulated_answers where run_id = $1', [given(earlier).runId]);
  expect(await ask(given(later))).toEqual(known(answer('then')));
});

it('hears nothing of a later run, of another suite, or of a pull request', async () => {
  const [early] = await held(tenant, 'apart');
  const [late] = await held(tenant, 'apart');
  const [other] = await held(tenant, 'elsewhere');
  await ask(given(late), answer('late'));
  expect(await ask(given(early))).toEqual(known(null));
  expect(await ask(given(other))).toEqual(known(null));
  await ledger.query('update runs set pull_request = 7 where id = $1', [given(late).runId]);
  const [next] = await held(tenant, 'apart');
  expect(await ask(given(next))).toEqual(known(null));
  // Not vacuous: to be its repetition is enough.
  await ledger.query('update runs set rerun_of = $1 where id = $2', [given(late).runId, given(next).runId]);
  expect(await ask(given(next))).toEqual(known(answer('late')));
});

it('keeps tenants apart, in what is heard and in what can be read', async () => {
  const rival = await newTenant(ledger);
  const [mine] = await held(tenant, 'shared name');
  await ask(given(mine), answer('mine'));
  const [theirs] = await held(rival, 'shared name');
  expect(await ask(given(theirs))).toEqual(known(null));
  const seen = await inTenant(ledger.database, rival.id, (em) => em.execute('select key from simulated_answers'));
  expect(seen).toEqual([]);
});

it('takes what no column could hold, and goes with its run', async () => {
  const [attempt] = await held(tenant, 'storable');
  const { runId } = given(attempt);
  expect(await ask(given(attempt), answer('a\u0000b'))).toEqual(known(answer('a\uFFFDb')));
  await ledger.query('delete from test_suite_runs where run_id = $1', [runId]);
  await ledger.query('delete from runs where id = $1', [runId]);
  expect(await ledger.query('select 1 from simulated_answers where run_id = $1', [runId])).toEqual([]);
});
