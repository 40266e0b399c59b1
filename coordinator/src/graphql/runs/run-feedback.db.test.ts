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

async function twoRuns() {
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
  return { ids, ask: (query: string) => ask(tenant.caller, query) };
}

/** Makes the cases of runs as long as thousands of cases: one run after the other is read. */
const lengthen = (ids: readonly string[]) =>
  ledger.query(
    `update test_suite_runs set shown_cases = jsonb_set(shown_cases, '{0,padding}', to_jsonb(repeat('long ', 1000000)))
     where run_id = any($1::uuid[])`,
    [ids],
  );

test('of runs with many cases all are told in one request', async () => {
  const { ids, ask } = await twoRuns();
  await lengthen(ids);
  const { data, errors } = await ask('{ runs { edges { node { feedback { headline markdown text comment } } } } }');
  expect(errors).toEqual([]);
  const told = Object(data).runs.edges.map(({ node }: { node: { feedback: object } }) => node.feedback);
  const ofSuite = (name: string) => ({
    headline: expect.stringContaining('No baseline yet'),
    ...{
      markdown: expect.stringContaining(name),
      text: expect.stringContaining(name),
      comment: expect.stringContaining(name),
    },
  });
  expect(told).toEqual([ofSuite('Second'), ofSuite('First')]);
});

test('of runs that say more than an answer holds the first is told, and why the others are not', async () => {
  const { ids, ask } = await twoRuns();
  await ledger.query(
    `update test_suite_runs set verdict_detail = jsonb_set(verdict_detail, '{title}', to_jsonb(repeat('long ', 2500000)))
     where run_id = any($1::uuid[])`,
    [ids],
  );
  const { data, errors } = await ask(
    `{ ${ids.map((id, at) => `r${at}: run(id: "${id}") { feedback { text } }`).join(' ')} }`,
  );
  expect(errors).toMatchObject([
    { extensions: { code: 'QUERY_TOO_COMPLEX' }, message: expect.stringContaining('a smaller "first"') },
  ]);
  // Whichever was asked for first.
  expect(Object.values(data ?? {}).filter((run) => run !== null)).toHaveLength(1);
  const list = await ask('{ runs { edges { node { feedback { text } } } } }');
  expect([list.data, list.errors.length]).toEqual([null, 1]);
  expect((await ask('{ runs(first: 1) { edges { node { feedback { text } } } } }')).errors).toEqual([]);
  expect((await ask('{ runs { edges { node { feedback { headline } } } } }')).errors).toEqual([]);
});

test('the runs of other jobs are looked for where the comment is asked for', async () => {
  const tenant = await newTenant(ledger);
  await newRepository(ledger, tenant);
  const runs = judgedRuns(ledger, tenant);
  const id = await runs.start({ trigger: { ...pull(5), headSha: sha('c') }, text: suiteFile() });
  const ask = asker(ledger);
  const asked = async (field: string) => await ask(tenant.caller, `{ run(id: "${id}") { feedback { ${field} } } }`);
  const [text, comment] = [await asked('text'), await asked('comment')];
  expect([text.errors, comment.errors]).toEqual([[], []]);
  expect(comment.statements).toBe(text.statements + 1);
});
