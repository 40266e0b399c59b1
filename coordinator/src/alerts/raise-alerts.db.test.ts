import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { judgedRuns, push, sha } from '../judging/judged-runs.fixture.ts';
import { given, suiteFile } from '../story.fixture.ts';
import { settleWindow } from '../upkeep/scheduled-suites.ts';
import { alertStory } from './alert-story.fixture.ts';
import { raiseAlert } from './raise-alerts.ts';

const { ledger, tenant, hooks, channel, pass, raise, listed } = await alertStory();
const runs = judgedRuns(ledger, tenant);

describe('what is told', () => {
  const text = suiteFile({ name: 'Night', cases: 4 });
  const nightly = async (passes: (name: string) => boolean) => {
    const runId = await runs.start({ trigger: { triggeredBy: 'schedule' }, text });
    await runs.execute(runId, passes);
    await runs.judge(runId);
    return runId;
  };
  const kinds = async () => (await listed()).map(({ kind }) => kind).toReversed();

  it('S2-12 a fall of a scheduled suite once, and that it is over when the cases pass again', async () => {
    await channel({ kind: 'WEBHOOK', url: hooks.origin });
    await nightly(() => true);
    expect(await kinds()).toEqual([]);
    const fell = await nightly((name) => name === 'case 1');
    await nightly((name) => name === 'case 1');
    await nightly((name) => name !== 'case 3');
    expect(await listed()).toMatchObject([
      {
        ...{
          kind: 'REGRESSION',
          title: 'Night: pass rate fell by 75.0 points to 25%',
          run: { id: fell },
          endedAt: null,
        },
        ...{ lines: ['Began to fail: case 2, case 3, case 4'], suite: { name: 'Night' } },
      },
    ]);
    await nightly(() => true);
    await nightly(() => true);
    expect(await kinds()).toEqual(['REGRESSION', 'RECOVERED']);
    await nightly(() => false);
    expect(await kinds()).toEqual(['REGRESSION', 'RECOVERED', 'REGRESSION']);
    // That it was over waits for that it began.
    expect([await pass(), await pass(), await pass()]).toEqual([2, 1, 0]);
    expect(hooks.calls).toHaveLength(3);
  });

  it('nothing of pull requests or of what people start: they look', async () => {
    for (const passes of [true, false]) {
      const runId = await runs.start({
        trigger: { triggeredBy: 'api' },
        text: suiteFile({ name: 'By hand', cases: 2 }),
      });
      await runs.execute(runId, () => passes);
      await runs.judge(runId);
    }
    expect(await kinds()).toEqual([]);
  });

  it('cases of the base branch that became flaky, once', async () => {
    const base = suiteFile({ name: 'Flaky', cases: 2, repetitions: 12 });
    const one = (letter: string) => runs.start({ trigger: { ...push, headSha: sha(letter) }, text: base });
    for (const letter of ['a', 'b']) {
      const runId = await one(letter);
      await runs.execute(runId, (name, repetition) => name === 'case 1' || repetition % 2 === 0);
      await runs.judge(runId);
    }
    const flaky = (await listed()).filter(({ kind }) => kind === 'NEWLY_FLAKY');
    expect(flaky).toMatchObject([
      { title: 'Flaky: 1 case became flaky', lines: ['Flaky now: case 2', expect.any(String)] },
    ]);
  });

  it('a schedule that could not start the suite, until it runs again', async () => {
    await nightly(() => true);
    const [suite] = await ledger.query<{ id: string }>(
      `select id from agent_test_suites where tenant_id = $1 and name = 'Night'`,
      [tenant.id],
    );
    const suiteId = given(suite).id;
    for (const startMs of [1_000, 2_000])
      await settleWindow(
        ledger.database,
        { tenantId: tenant.id, suiteId, createdBy: tenant.userId, window: { startMs, dueMs: startMs } },
        { runId: null, reason: 'UNKNOWN_MODEL; there is no AI configuration gpt-9' },
      );
    expect(await listed()).toMatchObject([
      { kind: 'NOTHING_EXECUTED', lines: ['UNKNOWN_MODEL; there is no AI configuration gpt-9'], run: null },
    ]);
    await nightly(() => true);
    expect(await kinds()).toEqual(['NOTHING_EXECUTED', 'RECOVERED']);
  });

  it('that the budget of a run was reached, once, also to a channel of a suite that was not the first', async () => {
    const both = ['One', 'Two'].map((name) => ({
      path: `evals/${name}.suite.yaml`,
      text: suiteFile({ name, cases: 1 }),
    }));
    const runId = await runs.start({ trigger: push, text: both });
    const [one, two] = await ledger.query<{ id: string; suite_id: string; name: string }>(
      'select id, suite_id, suite_name as name from test_suite_runs where run_id = $1 order by suite_name',
      [runId],
    );
    await channel({ name: 'all', kind: 'WEBHOOK', url: hooks.origin });
    await channel({ name: 'two', kind: 'WEBHOOK', url: hooks.origin, suiteId: given(two).suite_id });
    for (const { id, suite_id, name } of [given(one), given(two)])
      await ledger.database.worker.em.fork().transactional((em) =>
        raiseAlert(em, {
          ...{ tenantId: tenant.id, kind: 'budget', suiteId: suite_id, suiteName: name, cellKey: '', runId },
          ...{ suiteRunId: id, facts: { testRuns: 2 }, dedupeKey: `budget:${runId}`, resolves: null },
        }),
      );
    expect(await listed()).toMatchObject([{ deliveries: [{ channel: 'all' }, { channel: 'two' }] }]);
  });

  it('only what a channel asks for, of the suite that it is for', async () => {
    await nightly(() => true);
    const [suite] = await ledger.query<{ id: string }>(
      `select id from agent_test_suites where tenant_id = $1 and name = 'Night'`,
      [tenant.id],
    );
    await channel({ name: 'budgets', kind: 'WEBHOOK', url: hooks.origin, events: ['BUDGET'] });
    await channel({ name: 'night', kind: 'WEBHOOK', url: hooks.origin, suiteId: given(suite).id });
    await nightly(() => false);
    await raise();
    const told = (await listed()).map(({ kind, deliveries }) => [
      kind,
      z
        .array(z.object({ channel: z.string() }))
        .parse(deliveries)
        .map((one) => one.channel),
    ]);
    expect(told).toEqual([
      ['BUDGET', ['budgets']],
      ['REGRESSION', ['night']],
    ]);
  });

  it('that it is over after what began, in each channel, also when both were held back for the same moment', async () => {
    await channel({ name: 'down', kind: 'WEBHOOK', url: hooks.origin });
    await channel({ name: 'up', kind: 'WEBHOOK', url: hooks.origin });
    await raise('recovered', await raise('regression'));
    await ledger.query(`update outbox set next_try_at = now() - interval '1 minute'
      where alert_id in (select id from alerts where resolves is not null)`);
    const told: string[] = [];
    const tell = async (isDownUp: boolean) =>
      await pass({}, async (_ports, { alertId, subject }) => {
        const [{ kind, name } = { kind: '', name: '' }] = await ledger.query<{ kind: string; name: string }>(
          'select a.kind, c.name from alerts a, alert_channels c where a.id = $1 and c.id = $2',
          [alertId, Object(subject).channelId],
        );
        const isTaken = name === 'up' || isDownUp;
        if (isTaken) told.push(`${name}: ${kind}`);
        return isTaken ? { state: 'done', externalId: null } : { state: 'retry', reason: 'down', afterMs: 0 };
      });
    await tell(false);
    expect(told).toEqual(['up: regression']);
    await tell(false);
    expect(told).toEqual(['up: regression', 'up: recovered']);
    await tell(true);
    await tell(true);
    expect(told.slice(2)).toEqual(['down: regression', 'down: recovered']);
  });

  it('one receiver that hangs holds up no other one', async () => {
    const slow = await channel({ name: 'slow', kind: 'WEBHOOK', url: hooks.origin });
    for (let alert = 0; alert < 5; alert += 1) await raise();
    await channel({ name: 'fast', kind: 'WEBHOOK', url: hooks.origin });
    await raise();
    const told: unknown[] = [];
    await pass({}, async (_ports, row) => {
      told.push(Object(row.subject).channelId);
      return { state: 'done', externalId: null };
    });
    expect(told.filter((id) => id === slow.id)).toHaveLength(2);
    expect(told).toHaveLength(3);
  });
});
