import { beforeAll, expect, test } from 'vitest';
import { judgedRuns, pull, push, type Sketch, sha } from '../judging/judged-runs.fixture.ts';
import { given, newRepository, newTenant, ownLedger, suiteFile, type Tenant } from '../story.fixture.ts';
import { type RunToTell, readInParts } from './read-in-parts.ts';

const ledger = await ownLedger();
let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant(ledger);
  await newRepository(ledger, tenant);
});

async function judged(name: string, sketch: Omit<Sketch, 'text'>): Promise<string> {
  const runs = judgedRuns(ledger, tenant);
  const id = await runs.start({ ...sketch, text: suiteFile({ name }) });
  await runs.execute(id, () => false);
  await runs.judge(id);
  return id;
}

/** Makes the cases of runs longer than half of what is held at once. Packed they take next to nothing. */
const lengthen = (...ids: string[]) =>
  ledger.query(
    `update test_suite_runs set shown_cases = jsonb_set(shown_cases, '{0,padding}', to_jsonb(repeat('long ', 1000000)))
     where run_id = any($1::uuid[])`,
    [ids],
  );

const asked = (runId: string, comment: RunToTell['comment'] = null): RunToTell => ({ runId, comment });

const places = { publicUrl: 'https://proofmark.example.com', forgeUrl: () => 'https://github.com' };

/** The suites of each run; those are marked that were not yet read when the first run was told. */
async function told(...runs: RunToTell[]): Promise<string[][]> {
  const { signal } = new AbortController();
  const suites: string[][] = [];
  for await (const { read } of readInParts(ledger.database, tenant.id, runs, { ...places, signal })) {
    const { report, together } = given(read ?? undefined);
    suites.push((together?.report ?? report).suites.map(({ suiteName }) => suiteName));
    if (suites.length === 1) await ledger.query(`update test_suite_runs set suite_name = suite_name || ' (later)'`);
  }
  await ledger.query(`update test_suite_runs set suite_name = replace(suite_name, ' (later)', '')`);
  return suites;
}

test('runs that have room together are read at once, long ones one after the other', async () => {
  const ids = [
    await judged('First', { trigger: { triggeredBy: 'api' } }),
    await judged('Second', { trigger: { triggeredBy: 'api' } }),
  ];
  expect(await told(...ids.map((id) => asked(id)))).toEqual([['First'], ['Second']]);
  await lengthen(...ids);
  expect(await told(...ids.map((id) => asked(id)))).toEqual([['First'], ['Second (later)']]);

  const stopping = new AbortController();
  const untilStopped: RunToTell[] = [];
  const runs = ids.map((id) => asked(id));
  for await (const one of readInParts(ledger.database, tenant.id, runs, { ...places, signal: stopping.signal })) {
    untilStopped.push(one.asked);
    stopping.abort();
  }
  expect(untilStopped).toEqual(runs.slice(0, 1));
});

test('what a re-run leaves alone takes room as well', async () => {
  const again: string[] = [];
  for (const letter of ['a', 'b']) {
    const trigger = { ...push, headSha: sha(letter) };
    const long = await judged(`Long ${letter}`, { trigger });
    const id = await judged(`Short ${letter}`, { trigger });
    await lengthen(long);
    await ledger.query(`update runs set rerun_of = $1, rerun_kind = 'requested' where id = $2`, [long, id]);
    again.push(id);
  }
  expect(await told(...again.map((id) => asked(id)))).toEqual([
    ['Short a', 'Long a'],
    ['Short b (later)', 'Long b (later)'],
  ]);
});

test('other jobs of the commit are read for whoever asks for the comment, and take room then', async () => {
  const own: RunToTell[] = [];
  for (const [number, letter] of [
    [5, 'c'],
    [6, 'd'],
  ] as const) {
    const trigger = { ...pull(number), headSha: sha(letter) };
    const runId = await judged(`Own ${number}`, { trigger });
    await lengthen(await judged(`Other ${number}`, { trigger, settings: { checkName: 'other' } }));
    const { host, repositoryExternalId: externalId } = push;
    own.push(asked(runId, { host, externalId, pullRequest: number, commentKey: 'pr', headSha: sha(letter) }));
  }
  expect(await told(...own.map(({ runId }) => asked(runId)))).toEqual([['Own 5'], ['Own 6']]);
  expect(await told(...own)).toEqual([
    ['Other 5', 'Own 5'],
    ['Other 6 (later)', 'Own 6 (later)'],
  ]);
});
