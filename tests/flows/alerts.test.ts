import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { receiveMails, receiveWebhooks } from '../../coordinator/src/alerts/receivers.fixture.ts';
import { expectToFit } from '../stack/github/openapi.ts';
import { comments, issues } from '../stack/github/read-back.ts';
import { createRepository } from '../stack/github/repository.ts';
import { startGithub } from '../stack/github-server.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { modelSuite, startRunningProduct } from './running-product.ts';

const timeoutMs = 200_000;
/** Coordinators start one after the other, and each looks every ten seconds for what is due. */
const patientWithFour = { timeout: 900_000 };

const Made = z.object({ createAlertChannel: z.object({ __typename: z.literal('CreateAlertChannelSuccess') }) });

test(
  'S2-12 a fall of a scheduled suite is told in a chat, by mail and as an issue, once each, though coordinators die on the way',
  patientWithFour,
  async () => {
    await using hooks = await receiveWebhooks();
    await using post = await receiveMails();
    await using github = await startGithub();
    let isGood = true;
    await using running = await startRunningProduct({
      ...{ github, hasShortLeases: true },
      rules: [{ reply: () => (isGood ? 'We close at 17.' : 'No idea.') }],
      coordinatorEnv: { PROOFMARK_SMTP_URL: post.url, PROOFMARK_ALERT_URL_ALLOW: hooks.origin },
    });
    const { product, rows, ask } = running;
    const repository = await createRepository(github, { name: 'shop', files: { 'README.md': 'A shop.' } });
    await rows(
      `insert into repositories (tenant_id, host, external_id, owner_external_id, full_name)
       select id, $1, $2, '1', $3 from tenants`,
      [new URL(github.serverUrl).host, String(repository.id), repository.full_name],
    );
    const [{ id: repositoryId } = { id: '' }] = await rows<{ id: string }>('select id from repositories');
    const channels = [
      { name: 'chat', kind: 'SLACK', url: `${hooks.origin}/services/T/B/x` },
      { name: 'mail', kind: 'EMAIL', recipients: ['team@example.com'] },
      { name: 'issues', kind: 'GITHUB_ISSUE', repositoryId },
    ];
    for (const input of channels)
      Made.parse(
        (
          await ask(
            'mutation ($input: CreateAlertChannelInput!) { createAlertChannel(input: $input) { __typename ... on UserError { message } } }',
            { input },
          )
        ).data,
      );
    const suite = modelSuite({ cases: 3 });
    const files = suite.files.map(({ path, text }) => ({
      path,
      text: text.replace('cases:', 'schedule_type: hourly\ncases:'),
    }));
    await running.waitForEnd(await running.start({ ...suite, files }));

    isGood = false;
    await product.coordinator.stop();
    // Its hour has come, and each coordinator dies at another place.
    await rows(
      `update agent_test_suites set created_at = now() - interval '1 day', updated_at = now() - interval '1 day'`,
    );
    for (const point of ['before_finalize_commit', 'after_finalize_commit', 'before_alert_send']) {
      await product.restartCoordinator({ PROOFMARK_CHAOS_AT: point });
      expect((await product.coordinator.exited).signal).toBe('SIGKILL');
    }
    await product.restartCoordinator({ PROOFMARK_CHAOS_AT: '' });
    let seen: unknown;
    const isEverybodyTold = async () => {
      const found = await rows(`select state, reason, tries from outbox where kind = 'alert'`);
      seen = found;
      return found.length > 0 && found.every(({ state }) => state === 'done');
    };
    const seenAndLog = () => `${JSON.stringify(seen)}\n${product.coordinator.log()}`;
    const told = () =>
      waitUntil(isEverybodyTold, {
        what: 'everybody was told',
        timeoutMs,
        detail: seenAndLog,
      });
    await told();
    const title = 'Opening hours: pass rate fell by 100.0 points to 0%';
    expect(hooks.calls.map(({ body }) => z.object({ text: z.string() }).parse(JSON.parse(body)).text)).toEqual([title]);
    expect(post.mails.map((mail) => /^Subject: (.*?)\r?$/m.exec(mail)?.[1])).toEqual([title]);
    const opened = await issues(github, repository.full_name);
    expect(opened).toMatchObject([{ title, state: 'open', body: expect.stringContaining('/runs/') }]);

    // An issue is looked for before it is opened: a coordinator that died between writing and noting it opens no second one.
    await rows(`update outbox set state = 'due', external_id = null where kind = 'alert' and dedupe_key like
      '%:' || (select id from alert_channels where kind = 'github_issue')`);
    await told();
    expect(await issues(github, repository.full_name)).toHaveLength(1);

    // The next hour: it works again.
    isGood = true;
    await rows(`update runs set idempotency_key = 'an hour ago' where triggered_by = 'schedule'`);
    await rows(`update scheduled_runs set window_start = window_start - interval '1 day'`);
    await waitUntil(async () => (await rows(`select 1 from alerts where kind = 'recovered'`)).length > 0, {
      what: 'it has recovered',
      timeoutMs,
      detail: product.coordinator.log,
    });
    await told();
    const isClosed = async () => {
      seen = {
        issues: (await issues(github, repository.full_name)).map(({ title, state }) => ({ title, state })),
        comments: (await comments(github, repository.full_name, 1)).length,
        alerts: await rows('select id, kind, resolves, ended_at, created_at from alerts order by created_at'),
        outbox: await rows(`select dedupe_key, state, reason, external_id from outbox where kind = 'alert'`),
      };
      return isDeepStrictEqual(Object(seen).issues, [{ title, state: 'closed' }]) && Object(seen).comments === 1;
    };
    await waitUntil(isClosed, { what: 'the one issue has one comment and is closed', timeoutMs, detail: seenAndLog });
    expect([hooks.calls.length, post.mails.length]).toEqual([2, 2]);
    await expectToFit(github.journal);
  },
);
