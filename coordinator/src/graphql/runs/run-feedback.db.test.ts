import { expect, test } from 'vitest';
import { judgedRuns, pull, push, sha } from '../../judging/judged-runs.fixture.ts';
import { newRepository, newTenant, ownLedger, suiteFile } from '../../story.fixture.ts';
import { asker } from '../ask.fixture.ts';

const ledger = await ownLedger();

test('a suite that a change removes is told by its newest run on the base', async () => {
  const tenant = await newTenant(ledger);
  await newRepository(ledger, tenant);
  const runs = judgedRuns(ledger, tenant);
  const kept = { path: 'kept.suite.yaml', text: suiteFile({ name: 'Kept' }) };
  const both = [kept, { path: 'gone.suite.yaml', text: suiteFile({ name: 'Gone' }) }];
  for (const [letter, passes] of [
    ['a', true],
    ['b', false],
  ] as const) {
    const base = await runs.start({ trigger: { ...push, headSha: sha(letter) }, text: both });
    await runs.execute(base, (_name, _repetition, { suiteName }) => passes || suiteName === 'Kept');
    await runs.judge(base);
  }
  const trigger = { ...pull(3), headSha: sha('c'), baseSha: sha('b') };
  const id = await runs.start({ trigger, text: [kept] });
  await runs.execute(id, () => true);
  await runs.judge(id);
  const { data, errors } = await asker(ledger)(tenant.caller, `{ run(id: "${id}") { feedback { markdown } } }`);
  expect(errors).toEqual([]);
  expect(data).toEqual({
    run: { feedback: { markdown: expect.stringContaining('1 removed suite (it failed on the base)') } },
  });
});

test('of runs with many cases a request holds a share at once, and says of the others that they are too much', async () => {
  const tenant = await newTenant(ledger);
  const runs = judgedRuns(ledger, tenant);
  const ids: string[] = [];
  for (const name of ['First', 'Second']) {
    const id = await runs.start({ trigger: { triggeredBy: 'api' }, text: suiteFile({ name }) });
    await runs.execute(id, () => false);
    await runs.judge(id);
    ids.push(id);
  }
  const ask = asker(ledger);
  const both = (asked: string) =>
    ask(tenant.caller, `{ ${ids.map((id, at) => `r${at}: run(id: "${id}") { feedback { ${asked} } }`).join(' ')} }`);
  expect((await both('markdown')).errors).toEqual([]);

  // Nothing that can be compressed, as long as thousands of cases.
  await ledger.query(
    `update test_suite_runs set shown_cases = jsonb_set(shown_cases, '{0,padding}', (
       select to_jsonb(string_agg(encode(sha256(n::text::bytea), 'base64'), '')) from generate_series(1, 150000) n))
     where run_id = any($1::uuid[])`,
    [ids],
  );
  const { data, errors } = await both('markdown');
  expect(errors).toMatchObject([{ extensions: { code: 'QUERY_TOO_COMPLEX' } }]);
  // Whichever was asked for first.
  const told = Object.values(data ?? {}).filter((run) => run !== null);
  expect(told).toEqual([{ feedback: { markdown: expect.stringMatching(/First|Second/) } }]);
  expect((await both('headline')).errors).toEqual([]);
});
