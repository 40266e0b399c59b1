import { afterAll, beforeEach, expect, test } from 'vitest';
import { openPullRequest } from '../../../tests/stack/github/pull-request.ts';
import { createRepository, pushCommit } from '../../../tests/stack/github/repository.ts';
import { startGithub } from '../../../tests/stack/github-server.ts';
import { waitUntil } from '../../../tests/stack/wait-until.ts';
import { judgedRuns, pull, push } from '../judging/judged-runs.fixture.ts';
import { newRepository, openStory, suiteFile } from '../story.fixture.ts';
import { createFeedback } from './feedback.ts';
import type { DeliveryResult, FeedbackPort, FeedbackRow } from './feedback-port.ts';

// A pull request that was pushed to twice, each commit with a judged run. What is written of it is written by two coordinators,
// of which the first one is killed or stands still at each of its writes in turn.

const { ledger, tenant } = await openStory();
const github = await startGithub();
afterAll(async () => {
  await github.stop();
});

const { full_name: repository, id } = await createRepository(github, { name: 'told', files: { 'a.txt': 'a' } });
await newRepository(ledger, tenant, String(github.app.installationId));
await ledger.query(`update repositories set external_id = $1, full_name = $2`, [String(id), repository]);
const commit = (text: string, branch: string) => pushCommit(github, { repository, branch, files: { 'a.txt': text } });
const baseSha = await commit('base', 'main');
const older = await commit('older', 'change');
const pullRequest = await openPullRequest(github, { repository, head: 'change' });
const newer = await commit('newer', 'change');

const runs = judgedRuns(ledger, tenant);
const repositoryExternalId = String(id);
const story = async (trigger: Record<string, unknown>, instructions: string, broken: string) => {
  const text = suiteFile({ name: 'Told', cases: 6, repetitions: 3, instructions });
  const runId = await runs.start({ trigger: { ...push, ...trigger, repositoryExternalId }, text });
  await runs.execute(runId, (caseName) => caseName !== broken);
  await runs.judge(runId);
  return runId;
};
await story({ headSha: baseSha }, 'Be kind.', 'none');
const { number } = pullRequest;
const olderRun = await story({ ...pull(number), baseSha, headSha: older }, 'Be rude.', 'case 1');
const newerRun = await story({ ...pull(number), baseSha, headSha: newer }, 'Be odd.', 'case 2');

const coordinator = (): FeedbackPort =>
  createFeedback(ledger.database, [
    {
      ...{ host: 'github.com', appId: github.app.id, privateKey: github.app.privateKey },
      ...{ apiUrl: github.apiUrl, graphqlUrl: github.graphqlUrl, serverUrl: github.serverUrl },
      ...{ publicUrl: 'https://proofmark.example.com', writeIntervalMs: 1, rereadMs: 5 },
    },
  ]);
const [first, second] = [coordinator(), coordinator()];
const rowsOf = (runIds: readonly string[], kinds: readonly string[]) =>
  ledger.query<Record<string, unknown> & FeedbackRow>(
    `select tenant_id as "tenantId", id, kind, run_id as "runId", subject, null as "externalId", 0 as tries from outbox
     where (run_id = any($1) or kind = 'github-comment') and kind = any($2) order by kind, dedupe_key`,
    [runIds, kinds],
  );
const checks = ['github-check'];
const all = ['github-check', 'github-comment'];

/** As the outbox does: again until it is done. */
async function deliver(feedback: FeedbackPort, rows: readonly FeedbackRow[], tries: number): Promise<void> {
  for (const row of rows) {
    let result: DeliveryResult | undefined;
    for (let tried = 0; tried < tries && result?.state !== 'done'; tried += 1) {
      result = await feedback.deliver({ ...row, tries: 0 }, AbortSignal.timeout(30_000));
    }
    if (tries > 1) expect(result).toMatchObject({ state: 'done' });
  }
}

const standsOn = (sha: string) => github.world.pullHeads.add({ ...pullRequest, head: { ...pullRequest.head, sha } });

beforeEach(() => nothingIsTold());
async function nothingIsTold(): Promise<void> {
  github.clearFaults();
  github.world.checkRuns.length = 0;
  github.world.comments.length = 0;
  standsOn(older);
  await ledger.query('delete from installation_pace');
}

const isLockAwaited = async () =>
  (
    await ledger.query(`select 1 from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and not l.granted and a.datname = current_database()`)
  ).length > 0;

interface Scene {
  /** What the first coordinator was about to tell. */
  rows: readonly FeedbackRow[];
  /** What changes while it stands still. */
  meanwhile: () => Promise<void>;
  /** What the other one has to tell by then. */
  left: readonly FeedbackRow[];
}

/** Plays the scene once for each write of the first coordinator, and looks at what is there at last. */
async function atEachWrite(
  kind: 'drop-before' | 'drop-after-commit' | 'hold-before' | 'hold-answer',
  { rows, meanwhile, left }: Scene,
  { begin, look }: { begin: () => Promise<void>; look: () => void },
): Promise<number> {
  for (let after = 0; ; after += 1) {
    await nothingIsTold();
    await begin();
    const released = Promise.withResolvers<void>();
    const come = Promise.withResolvers<'come'>();
    const fault = { path: /^\/repos\//, until: released.promise, onCome: () => come.resolve('come'), after };
    github.failNext({ ...fault, kind, isWrite: true });
    const paused = deliver(first, rows, 1);
    const reached = await Promise.race([come.promise, paused.then(() => 'through' as const)]);
    if (reached === 'through') return after;
    // Whoever is killed does nothing more, and holds nothing any more.
    if (kind.startsWith('drop')) await paused;
    await meanwhile();
    let isOver = false;
    const other = deliver(second, left, 20).finally(() => {
      isOver = true;
    });
    await waitUntil(async () => isOver || (await isLockAwaited()), { what: 'the other one is through, or waits' });
    released.resolve();
    await Promise.all([paused, other]);
    look();
  }
}

const shown = () =>
  github.world.checkRuns.map(({ head_sha, name, conclusion, annotations, output }) => {
    return { head_sha, name, conclusion, remarks: annotations.length, title: output.title };
  });
const regressed = expect.stringMatching(/^Regressed: /);
const told = (sha: string) => [
  { head_sha: sha, name: 'proofmark', conclusion: 'failure', remarks: 0, title: regressed },
  { head_sha: sha, name: 'proofmark / Told', conclusion: 'failure', remarks: 1, title: regressed },
];
const byName = (one: { head_sha: string; name: string }, other: { head_sha: string; name: string }) =>
  `${one.head_sha}${one.name}`.localeCompare(`${other.head_sha}${other.name}`);

test.for(['drop-before', 'drop-after-commit', 'hold-before', 'hold-answer'] as const)(
  'github 5 6: a coordinator that has %s at any of its writes: one check each, and one comment, about the newest head',
  { timeout: 300_000 },
  async (kind) => {
    const scene: Scene = {
      rows: await rowsOf([olderRun], all),
      meanwhile: async () => standsOn(newer),
      left: await rowsOf([olderRun, newerRun], all),
    };
    const look = () => {
      expect(shown().toSorted(byName)).toEqual([...told(older), ...told(newer)].toSorted(byName));
      expect(github.world.comments.map(({ body }) => body.split('\n')[2])).toEqual([
        expect.stringContaining(`\`${newer.slice(0, 7)}\` against`),
      ]);
    };
    expect(await atEachWrite(kind, scene, { begin: async () => undefined, look })).toBeGreaterThanOrEqual(5);
  },
);

test('a check that was told to be in progress after it had ended says how it ended', { timeout: 300_000 }, async () => {
  await ledger.query('create table kept_verdicts as select id, verdict_detail from test_suite_runs');
  const running = () => ledger.query('update test_suite_runs set verdict_detail = null where run_id = $1', [olderRun]);
  const ended = () =>
    ledger.query(
      'update test_suite_runs s set verdict_detail = k.verdict_detail from kept_verdicts k where k.id = s.id',
    );
  const rows = await rowsOf([olderRun], checks);
  const scene: Scene = { rows, left: rows, meanwhile: async () => void (await ended()) };
  for (const kind of ['hold-before', 'hold-answer'] as const) {
    const look = () => expect(shown().toSorted(byName)).toEqual(told(older));
    await atEachWrite(kind, scene, { begin: async () => void (await running()), look });
    await ended();
  }
});

test('a comment that was edited by whoever woke up late says again what holds', { timeout: 300_000 }, async () => {
  const rows = (await rowsOf([olderRun], all)).filter((row) => row.kind === 'github-comment');
  const begin = async () => {
    await deliver(second, rows, 20);
    standsOn(newer);
  };
  const look = () =>
    expect(github.world.comments.map(({ body }) => body.split('\n')[2])).toEqual([
      expect.stringContaining(`\`${older.slice(0, 7)}\` against`),
    ]);
  const scene: Scene = { rows, left: rows, meanwhile: async () => standsOn(older) };
  expect(await atEachWrite('hold-before', scene, { begin, look })).toBe(1);
});

test('while GitHub has asked for a pause nothing is read either, whoever was told of it', async () => {
  const ref = { host: 'github.com', externalId: String(id), fullName: repository };
  const read = (feedback: FeedbackPort) => feedback.pullRequest(ref, number, null);
  expect(await read(second)).toMatchObject({ headSha: older });
  const limit = {
    kind: 'status',
    status: 429,
    headers: { 'retry-after': '60' },
    body: { message: 'too many' },
  } as const;
  github.failNext({ path: /^\/repos\/.*\/pulls\//, ...limit });
  await expect(read(first)).rejects.toMatchObject({ status: 429 });
  const before = github.journal.entries.length;
  await expect(read(second)).rejects.toThrow('GitHub asked for a pause');
  expect(await second.mergeBase(ref, baseSha, older).catch((error: Error) => error.message)).toMatch(/pause/);
  expect(github.journal.entries.slice(before).filter(({ path }) => path.startsWith('/repos/'))).toEqual([]);
});

const tell = async (row: FeedbackRow) => await second.deliver(row, AbortSignal.timeout(30_000));

test('github 5 4: a limit in the middle of 120 remarks pauses everything, and each remark is there once', {
  timeout: 300_000,
}, async () => {
  const text = suiteFile({ name: 'Many', cases: 120, instructions: 'Be loud.' });
  const trigger = { ...pull(number), repositoryExternalId, baseSha, headSha: older };
  const runId = await runs.start({ trigger, text });
  await runs.execute(runId, () => false);
  await runs.judge(runId);
  const rows = await rowsOf([runId], checks);
  const suiteRow = rows.at(-1);
  if (suiteRow === undefined) throw new Error('the suite has a check');
  const limit = { status: 403, body: { message: 'You have exceeded a secondary rate limit.' } };
  github.failNext({ method: 'PATCH', path: /check-runs/, after: 1, kind: 'status', ...limit });
  const limited = await tell(suiteRow);
  expect(limited).toMatchObject({ state: 'retry', reason: 'rate limit of GitHub (403)' });
  expect('afterMs' in limited && limited.afterMs).toBeGreaterThanOrEqual(60_000);
  const writes = github.journal.writes().length;
  expect(await tell(suiteRow)).toMatchObject({ state: 'retry', reason: 'GitHub asked for a pause' });
  expect(github.journal.writes()).toHaveLength(writes);
  await ledger.query('delete from installation_pace');
  expect(await tell(suiteRow)).toMatchObject({ state: 'done' });
  const [check, ...others] = github.world.checkRuns.filter(({ name }) => name === 'proofmark / Many');
  expect([check?.status, others]).toEqual(['completed', []]);
  expect(new Set(check?.annotations.map(({ start_line }) => start_line)).size).toBe(120);
  expect(check?.annotations).toHaveLength(120);
});

test('github 5 17: a token that is taken away costs no write, and what somebody deletes is created again', async () => {
  const rows = await rowsOf([olderRun], all);
  await deliver(second, rows, 20);
  github.world.comments.length = 0;
  github.world.checkRuns.length = 0;
  github.world.tokens.revoke();
  const before = github.journal.entries.length;
  for (const row of rows) {
    const told_ = await tell(row);
    expect(told_).toMatchObject(row === rows[0] ? { state: 'retry' } : { state: 'done' });
    if (told_.state === 'retry') expect(await tell({ ...row, tries: 1 })).toMatchObject({ state: 'done' });
  }
  const refused = github.journal.entries
    .slice(before)
    .filter(({ method, status }) => method !== 'GET' && status >= 400);
  expect(refused).toEqual([]);
  expect(shown().toSorted(byName)).toEqual(told(older));
  expect(github.world.comments).toHaveLength(1);
});

test('github 5 17: a conversation that is locked parks the comment alone, a suspended App everything, and both say why', async () => {
  const rows = await rowsOf([olderRun], all);
  github.world.lockedConversations.add(`${repository}#${number}`);
  const results = await Promise.all(rows.map(tell));
  github.world.lockedConversations.clear();
  expect(results.map(({ state }) => state)).toEqual(['done', 'done', 'parked']);
  expect(results.at(-1)).toMatchObject({ reason: expect.stringMatching(/^GitHub refused \(403\): .*locked/i) });
  github.world.installationSuspended = true;
  const suspended = await Promise.all(rows.map((row) => tell({ ...row, tries: 1 })));
  github.world.installationSuspended = false;
  for (const result of suspended) {
    expect(result).toMatchObject({ state: 'parked', reason: expect.stringMatching(/suspended/i) });
  }
});

test('the comment says how old its base is, once', async () => {
  const rows = (await rowsOf([newerRun], all)).filter((row) => row.kind === 'github-comment');
  standsOn(newer);
  const commits = async () => {
    await deliver(second, rows, 20);
    return github.world.comments.map(({ body }) => body.split('\n')[2]);
  };
  const against = `\`${newer.slice(0, 7)}\` against \`${baseSha.slice(0, 7)}\``;
  const chosenAs = (label: string) =>
    ledger.query(
      `update test_suite_runs set verdict_detail = jsonb_set(verdict_detail, '{baseline,label}', to_jsonb($2::text)) where run_id = $1`,
      [newerRun, label],
    );
  await ledger.query(`update runs set created_at = created_at - interval '50 hours' where head_sha = $1`, [baseSha]);
  await chosenAs('merge base');
  expect(await commits()).toEqual([`${against} (merge base, 2 days old)`]);
  await chosenAs('20 days old');
  expect(await commits()).toEqual([`${against} (20 days old)`]);
});
