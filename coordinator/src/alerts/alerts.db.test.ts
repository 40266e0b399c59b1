import { randomUUID } from 'node:crypto';
import { AlertMessage } from '@proofmark/contracts/alert-message';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { asker } from '../graphql/ask.fixture.ts';
import { given } from '../story.fixture.ts';
import { parkedDeliveries, retryForAccount } from '../upkeep/parked-deliveries.ts';
import { alertStory, keys } from './alert-story.fixture.ts';
import { raiseAlert } from './raise-alerts.ts';
import { receiveWebhooks } from './receivers.fixture.ts';
import { openText, sealText } from './sealed-text.ts';

const story = await alertStory();
const { ledger, tenant, hooks, post, mail, trusting, ask, answered, create, channel, warned, pass, raise, listed } =
  story;
const nothing = () => undefined;

/** A replica that has just begun looks after what was parked. */
async function lookAfterParked(hasMail: boolean): Promise<void> {
  await ledger.query(`delete from installation_pace`);
  await parkedDeliveries({ database: ledger.database, hasMail, onDue: nothing }).run(AbortSignal.timeout(60_000));
}

describe('channels', () => {
  it('a webhook is signed as standardwebhooks.com says, holds all that is known, and is sent once', async () => {
    const { signingSecret } = await channel({ kind: 'WEBHOOK', url: `${hooks.origin}/hooks/secret-path` });
    const id = await raise();
    expect([await pass(), await pass()]).toEqual([1, 0]);
    expect(hooks.calls).toHaveLength(1);
    const { body, headers, path } = given(hooks.calls[0]);
    expect(path).toBe('/hooks/secret-path');
    const read = new Webhook(given(signingSecret ?? undefined)).verify(body, headers as Record<string, string>);
    expect(AlertMessage.parse(read)).toMatchObject({
      ...{ id, version: 1, kind: 'budget', title: 'Support: the budget was reached' },
      lines: ['2 test runs left out, because the money or the tokens were spent.'],
    });
    expect(await listed()).toMatchObject([{ deliveries: [{ state: 'DONE', reason: null, nextTryAt: null }] }]);
  });

  it('what was overheard cannot be sent again later, and nobody else can sign', async () => {
    const { signingSecret } = await channel({ kind: 'WEBHOOK', url: hooks.origin });
    const other = await channel({ kind: 'WEBHOOK', url: hooks.origin });
    await raise();
    await pass({ nowMs: () => Date.now() - 10 * 60_000 });
    const { body, headers } = given(hooks.calls[0]);
    const verify = (secret: string | null) =>
      new Webhook(given(secret ?? undefined)).verify(body, headers as Record<string, string>);
    expect(() => verify(signingSecret)).toThrow('too old');
    hooks.calls.length = 0;
    expect(other.signingSecret).not.toBe(signingSecret);
    const later = await ask(tenant.caller, '{ alertChannels { edges { node { signingSecret } } } }');
    expect(later.errors).toMatchObject([{ message: expect.stringContaining('signingSecret') }]);
  });

  it('Slack gets its own form, in which a name commands nothing', async () => {
    await channel({ kind: 'SLACK', url: `${hooks.origin}/services/T/B/x` });
    await ledger.database.worker.em.fork().transactional((em) =>
      raiseAlert(em, {
        ...{ tenantId: tenant.id, kind: 'budget', suiteId: null, suiteName: '<!channel> & co', cellKey: '' },
        ...{ runId: null, suiteRunId: null, facts: {}, dedupeKey: randomUUID(), resolves: null },
      }),
    );
    await pass();
    const body: unknown = JSON.parse(given(hooks.calls[0]).body);
    expect(body).toMatchObject({
      text: '&lt;!channel&gt; &amp; co: the budget was reached',
      blocks: [{ type: 'section', text: { type: 'mrkdwn' } }],
    });
    expect(given(hooks.calls[0]).headers).not.toHaveProperty('webhook-signature');
  });

  it('a mail has a subject of one line, and the same id in every try', async () => {
    await channel({ kind: 'EMAIL', recipients: ['team@example.com', 'boss@example.com'] });
    await raise();
    await pass();
    await ledger.query(`update outbox set state = 'due'`);
    await pass();
    expect(post.mails).toHaveLength(2);
    const [first, second] = post.mails.map((one) => /^Message-ID:\s*(\S+)/im.exec(one)?.[1]);
    expect(first).toMatch(/^<[0-9a-f-]{36}\.[0-9a-f-]{36}@proofmark\.test>$/);
    expect(second).toBe(first);
    expect(post.mails[0]).toMatch(/^Subject: Support: the budget was reached\r?$/m);
    expect(post.mails[0]).toMatch(/^To: team@example.com, boss@example.com\r?$/m);
  });

  it('a receiver that is down is tried again, one that refuses is given up, and both can be seen', async () => {
    await channel({ name: 'down', kind: 'WEBHOOK', url: hooks.origin });
    hooks.answers.push({ status: 503 }, { status: 429, headers: { 'retry-after': '120' } });
    await raise();
    await pass();
    expect(await listed()).toMatchObject([
      { deliveries: [{ channel: 'down', state: 'DUE', reason: 'the receiver answered 503', tries: 1 }] },
    ]);
    await ledger.query(`update outbox set next_try_at = now()`);
    await pass();
    const [waits] = await ledger.query<{ s: number }>(
      `select extract(epoch from next_try_at - now())::float8 as s from outbox`,
    );
    expect(waits?.s).toBeGreaterThan(100);
    await ledger.query(`update outbox set next_try_at = now()`);
    await pass();
    expect(await listed()).toMatchObject([{ deliveries: [{ state: 'DONE' }] }]);
    const ids = new Set(hooks.calls.map(({ headers }) => headers['webhook-id']));
    expect([hooks.calls.length, ids.size]).toEqual([3, 1]);
    hooks.answers.push({ status: 404 });
    await raise();
    await pass();
    expect((await listed())[0]).toMatchObject({
      deliveries: [{ state: 'PARKED', reason: 'the receiver answered 404' }],
    });
    await channel({ name: 'mail', kind: 'EMAIL', recipients: ['nobody@example.com'], events: ['REGRESSION'] });
    await raise('regression');
    await pass();
    expect((await listed())[0]).toMatchObject({
      deliveries: [{ state: 'DONE' }, { channel: 'mail', state: 'PARKED', reason: expect.stringContaining('550') }],
    });
  });

  it('a mail server that refuses the login is asked again, and one that refuses a recipient is not forgotten', async () => {
    await channel({ kind: 'EMAIL', recipients: ['team@example.com', 'nobody@example.com'] });
    await raise();
    await pass({ mail: { ...mail, url: post.url.replace('//', '//proofmark:wrong@') } });
    expect(await listed()).toMatchObject([
      { deliveries: [{ state: 'DUE', reason: expect.stringContaining('refused the login') }] },
    ]);
    await ledger.query('update outbox set next_try_at = now()');
    await pass();
    expect(post.mails).toHaveLength(1);
    expect(await listed()).toMatchObject([
      { deliveries: [{ state: 'DONE', reason: 'the mail server did not take it for nobody@example.com' }] },
    ]);
  });

  it('tells nobody which hosts and ports there are', async () => {
    await using gone = await receiveWebhooks();
    const { host, hostname, port } = new URL(gone.origin);
    await channel({ name: 'a', kind: 'WEBHOOK', url: hooks.origin });
    await ledger.query(`update alert_channels set sealed_url = $1`, [sealText(keys.sealingKey, gone.origin)]);
    await channel({ name: 'b', kind: 'EMAIL', recipients: ['team@example.com'] });
    await raise();
    await gone[Symbol.asyncDispose]();
    await pass({ allowedOrigins: new Set([gone.origin]), mail: { ...mail, url: `smtp://${host}` } });
    const seen = JSON.stringify(await listed());
    expect(seen).toContain('the receiver was not reached');
    expect(seen).toContain('the mail server was not reached');
    expect([seen.includes(hostname), seen.includes(port)]).toEqual([false, false]);
    expect(warned.join('\n')).toContain(`${hostname}:${port}`);
  });

  it('no redirect is followed, and no private address is called that the operator does not list', async () => {
    await channel({ kind: 'WEBHOOK', url: hooks.origin });
    hooks.answers.push({ status: 302, headers: { location: `${hooks.origin}/inside` } });
    await raise();
    await pass();
    expect(hooks.calls.map(({ path }) => path)).toEqual(['/']);
    await raise();
    // The operator took it off the list after it was stored.
    await pass({ allowedOrigins: new Set() });
    expect(hooks.calls).toHaveLength(1);
    expect((await listed())[0]).toMatchObject({
      deliveries: [{ state: 'PARKED', reason: expect.stringContaining('PROOFMARK_ALERT_URL_ALLOW') }],
    });
  });

  it('addresses are sealed in the ledger, shown as their origin alone, and say when their key is gone', async () => {
    const { id, url } = await channel({ kind: 'SLACK', url: `${hooks.origin}/services/T/B/hunter2` });
    expect(url).toBe(`${hooks.origin}/…`);
    const rows = await ledger.query('select * from alert_channels');
    expect(JSON.stringify(rows)).not.toContain('hunter2');
    await raise();
    await pass({ sealingKey: Buffer.alloc(32, 9) });
    expect((await listed())[0]).toMatchObject({
      deliveries: [{ state: 'PARKED', reason: expect.stringContaining('set the address of the channel again') }],
    });
    const [sealed] = [sealText(keys.sealingKey, 'one')];
    expect(openText(keys.sealingKey, sealed)).toBe('one');
    expect(openText(keys.sealingKey, `${sealed.slice(0, -2)}AA`)).toBeNull();
    expect(
      await answered(
        `mutation ($id: UUID!) { updateAlertChannel(input: { id: $id, isEnabled: false }) { __typename
          ... on UpdateAlertChannelSuccess { alertChannel { isEnabled url } } } }`,
        { id },
      ),
    ).toMatchObject({ alertChannel: { isEnabled: false, url: `${hooks.origin}/…` } });
    const noted = await ledger.query(
      `select action, changes from audit_entries where tenant_id = $1 and subject = 'alert-channel' order by at`,
      [tenant.id],
    );
    expect(noted.at(-1)).toEqual({ action: 'changed', changes: { is_enabled: ['true', 'false'] } });
    expect(JSON.stringify(noted)).not.toContain('v1.');
    await raise();
    expect(await pass()).toBe(0);
  });

  it('what could not be sent is tried again, by and by or once the App may do more, unless it is over by then', async () => {
    const { id } = await channel({ kind: 'WEBHOOK', url: hooks.origin });
    const opened = given((await raise('regression')) ?? undefined);
    const park = (since: string) =>
      ledger.query(`update outbox set state = 'parked', next_try_at = now() - $1::interval`, [since]);
    const states = async () =>
      (await ledger.query<{ state: string }>('select state from outbox')).map((one) => one.state);
    const sweep = () => lookAfterParked(false);
    await park('10 minutes');
    await sweep();
    expect(await states()).toEqual(['parked']);
    await park('2 hours');
    await sweep();
    expect(await states()).toEqual(['due']);
    await park('1 minute');
    const [repository] = await ledger.query<{ id: string; host: string; owner: number }>(
      'select id, host, owner_external_id::int as owner from repositories',
    );
    const { host, owner } = given(repository);
    expect(await retryForAccount(ledger.database, host, owner)).toBe(0);
    await ledger.query(`update alert_channels set kind = 'github_issue', repository_id = $1 where id = $2`, [
      given(repository).id,
      id,
    ]);
    expect(await retryForAccount(ledger.database, host, owner)).toBe(1);
    expect(await states()).toEqual(['due']);
    await park('2 hours');
    await ledger.query('update alerts set ended_at = now() where id = $1', [opened]);
    await sweep();
    expect([await retryForAccount(ledger.database, host, owner), await states()]).toEqual([0, ['parked']]);
  });

  it('a mail waits for a mail server, and is sent once a coordinator with one begins', async () => {
    await channel({ kind: 'EMAIL', recipients: ['team@example.com'] });
    await raise();
    await pass({ mail: null });
    const parked = { state: 'PARKED', reason: 'no mail server is configured: PROOFMARK_SMTP_URL' };
    expect(await listed()).toMatchObject([{ deliveries: [parked] }]);
    await lookAfterParked(false);
    expect([await pass(), post.mails.length]).toEqual([0, 0]);
    await lookAfterParked(true);
    expect([await pass(), post.mails.length]).toEqual([1, 1]);
    expect(await listed()).toMatchObject([{ deliveries: [{ state: 'DONE', reason: null }] }]);
  });

  it('a mail that a replica without a mail server parks again is sent soon by one that has it for long', async () => {
    await channel({ kind: 'EMAIL', recipients: ['team@example.com'] });
    await raise();
    const withMail = parkedDeliveries({ database: ledger.database, hasMail: true, onDue: nothing });
    const look = () => withMail.run(AbortSignal.timeout(60_000));
    await pass({ mail: null });
    await look();
    await pass({ mail: null });
    expect(await listed()).toMatchObject([{ deliveries: [{ state: 'PARKED' }] }]);
    await look();
    expect([await pass(), post.mails.length]).toEqual([1, 1]);
  });

  it('a channel that was disabled tells nothing more, except that it is tried', async () => {
    const { id } = await channel({ kind: 'WEBHOOK', url: hooks.origin });
    await raise();
    await ledger.query('update alert_channels set is_enabled = false');
    await pass();
    expect(hooks.calls).toEqual([]);
    expect(await listed()).toMatchObject([{ deliveries: [{ state: 'PARKED', reason: 'the channel is disabled' }] }]);
    await answered('mutation ($id: UUID!) { testAlertChannel(id: $id) { __typename } }', { id });
    await pass();
    expect(hooks.calls).toHaveLength(1);
  });

  it('what a channel cannot be is told with all that is wrong', async () => {
    const messageOf = async (input: object) =>
      z.looseObject({ message: z.string() }).parse(await create({ name: 'x', ...input })).message;
    expect(await messageOf({ kind: 'WEBHOOK' })).toBe('url: is missing; a channel of the kind webhook needs it');
    expect(await messageOf({ kind: 'SLACK', url: 'http://169.254.169.254/latest' })).toMatch(/must be https/);
    expect(await messageOf({ kind: 'EMAIL', recipients: ['a'], quietFrom: '25:00', timeZone: 'Mars' })).toMatch(
      /recipients.*quietFrom.*timeZone/,
    );
    expect(await messageOf({ kind: 'EMAIL', quietFrom: '22:00' })).toMatch(
      /recipients: is missing.*quietUntil: is missing/,
    );
    expect(await messageOf({ kind: 'GITHUB_ISSUE' })).toMatch(/repositoryId: is missing.*no GitHub App/);
    await create({ name: 'x', kind: 'EMAIL', recipients: ['a@b.cd'] });
    expect(await messageOf({ kind: 'EMAIL', recipients: ['a@b.cd'] })).toMatch(/already/);
    const without = asker(ledger, { alerts: { ...trusting, mail: null } });
    const { data } = await without(
      tenant.caller,
      'mutation { createAlertChannel(input: { name: "y", kind: EMAIL, recipients: ["a@b.cd"] }) { ... on UserError { message } } }',
    );
    expect(JSON.stringify(data)).toContain('PROOFMARK_SMTP_URL');
  });

  it('channels are for admins', async () => {
    const reader = { ...tenant.caller, scopes: new Set(['runs:read'] as const) };
    const { errors } = await ask(reader, '{ alertChannels { edges { node { id } } } }');
    expect(errors.map(({ extensions }) => extensions?.code)).toEqual(['FORBIDDEN']);
  });

  it('the test button sends what alerts send, in quiet hours too, and tells what came of it', async () => {
    const { id } = await channel({ kind: 'WEBHOOK', url: hooks.origin, events: ['BUDGET'] });
    await ledger.query(`update alert_channels set quiet_from = '00:00', quiet_until = '23:59'`);
    const test = (of: string) =>
      answered(
        `mutation ($id: UUID!) { testAlertChannel(id: $id) { __typename ... on TestAlertChannelSuccess { alert { kind } } } }`,
        { id: of },
      );
    expect(await test(id)).toMatchObject({ alert: { kind: 'TEST' } });
    await pass();
    expect(hooks.calls).toHaveLength(1);
    expect(await listed()).toMatchObject([{ kind: 'TEST', run: null, deliveries: [{ state: 'DONE' }] }]);
    expect(await test(randomUUID())).toMatchObject({ __typename: 'NotFound' });
  });

  it('an alert in quiet hours is sent at their end', async () => {
    await channel({ kind: 'WEBHOOK', url: hooks.origin, quietFrom: '00:00', quietUntil: '23:59' });
    await ledger.query(`update alert_channels set quiet_until = to_char(now() at time zone 'utc' + interval '2 hours', 'HH24:MI'),
      quiet_from = to_char(now() at time zone 'utc' - interval '2 hours', 'HH24:MI')`);
    await raise();
    expect(await pass()).toBe(0);
    const [{ nextTryAt } = { nextTryAt: null }] = z
      .array(z.looseObject({ nextTryAt: z.string().nullable() }))
      .parse(given((await listed())[0]).deliveries);
    const hours = (Date.parse(given(nextTryAt ?? undefined)) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(1.9);
    expect(hours).toBeLessThan(2.1);
    await ledger.query('update outbox set next_try_at = now()');
    expect(await pass()).toBe(1);
  });
});
