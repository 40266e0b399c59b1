import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { PageWorld } from './page-world.ts';

/** What is set up on the page, and what those are shown who may only read. */
export function testSetUp(world: () => PageWorld): void {
  const section = (page: Page, name: string) => page.locator('.sections').getByRole('link', { name, exact: true });
  const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) }).first();
  const newToken = async (login: string, scopes: string): Promise<string> => {
    const { data } = await world().running.ask(
      `mutation { createApiToken(input: { name: "of ${login}", login: "${login}", scopes: [${scopes}] }) { ... on CreateApiTokenSuccess { token } } }`,
    );
    return z.object({ token: z.string() }).parse(data?.createApiToken).token;
  };

  test('definitions show their lines, and every section has something to show or to do', async () => {
    const page = await world().open('/set-up');
    await page.getByText('10 cases').click();
    await page
      .getByText(/evals\/support\.suite\.yaml:\d+/)
      .first()
      .waitFor();
    for (const name of ['AI configurations', 'Schedules', 'Repositories', 'Runners', 'People', 'Audit', 'Settings']) {
      await section(page, name).click();
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      await page.locator('main .card').first().waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
    }
  });

  test('a token is shown once, goes on for a while where another takes its place, and can be revoked', async () => {
    const page = await world().open('/set-up/tokens');
    await page.getByLabel('Name').fill('reader of the test');
    await page.getByRole('button', { name: 'Make a token' }).click();
    const made = await page.getByLabel('The new token').inputValue();
    expect(made).toMatch(/^pmk_/);
    // A browser that gives no page its clipboard says what to do instead.
    await page.getByRole('button', { name: 'Copy it' }).click();
    await page.getByRole('button', { name: /^(Copied|Press Ctrl\+C)$/ }).waitFor();
    await page.getByRole('button', { name: 'Rotate reader of the test' }).click();
    const next = await page.getByLabel('The token in its place').inputValue();
    expect([next.slice(0, 4), next === made]).toEqual(['pmk_', false]);
    await page.getByText('goes on for 24 hours').waitFor();
    // It stays until there is another: a second try may be refused, and nobody can read the first again.
    await page.route('**/graphql', (route) =>
      route.request().postDataJSON().operationName === 'PageRotateToken'
        ? route.fulfill({ json: { data: { rotateApiToken: { message: 'It is being rotated.' } } } })
        : route.continue(),
    );
    await page.getByRole('button', { name: 'Rotate reader of the test' }).first().click();
    await page.getByText('It is being rotated.').waitFor();
    expect(await page.getByLabel('The token in its place').inputValue()).toBe(next);
    // Who comes again sees neither of them.
    await page.reload();
    await row(page, 'reader of the test').waitFor();
    expect(await page.content()).not.toMatch(/pmk_[A-Za-z0-9]/);
    page.on('dialog', (question) => void question.accept());
    for (let left = 2; left > 0; left -= 1) {
      await page.getByRole('button', { name: 'Revoke reader of the test' }).first().click();
      await expect.poll(() => page.getByRole('button', { name: 'Revoke reader of the test' }).count()).toBe(left - 1);
    }
  });

  test('people get a role, lose it and are disabled, and the audit says who did it', async () => {
    const page = await world().open('/set-up/people');
    await page.getByLabel('Login').fill('grace');
    await page.getByLabel('May be').selectOption('READER');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('grace is known.').waitFor();
    await page.getByLabel('Role of grace').selectOption('CI');
    await page.getByText('grace is ci from now on.').waitFor();
    page.once('dialog', (question) => void question.dismiss());
    await page.getByRole('button', { name: 'Disable grace' }).click();
    expect(await page.getByRole('button', { name: 'Enable grace' }).count()).toBe(0);
    page.once('dialog', (question) => void question.accept());
    await page.getByRole('button', { name: 'Disable grace' }).click();
    await page.getByRole('button', { name: 'Enable grace' }).waitFor();
    expect(await row(page, 'grace').innerText()).toContain('not since');
    // Nobody changes himself: that is not even offered.
    await page.getByText('as you').waitFor();
    await section(page, 'Audit').click();
    await page.getByLabel('What was changed').selectOption('principal');
    await page.getByText('reader → ci').waitFor();
    expect(await row(page, 'reader → ci').innerText()).toMatch(/changed person[\s\S]*grace/);
    expect(new URL(page.url()).search).toBe('?subject=principal');
  });

  test('a channel is added, tried, changed and removed; its address is never shown again', async () => {
    const page = await world().open('/set-up/alerts');
    await page.getByRole('button', { name: 'Add a channel' }).click();
    await page.getByLabel('Name').fill('on call');
    await page.getByLabel('By').selectOption('WEBHOOK');
    await page.getByLabel('Address').fill('http://alerts.example.com/hook');
    await page.getByRole('button', { name: 'Add the channel' }).click();
    await page.locator('.bad', { hasText: /https/ }).waitFor();
    await page.getByLabel('Address').fill('https://alerts.example.com/hook/secret-path');
    await page.getByLabel('budget').uncheck();
    await page.getByRole('button', { name: 'Add the channel' }).click();
    const secret = await page.getByLabel('The signing secret').inputValue();
    expect(secret).toMatch(/^whsec_/);
    await row(page, 'on call').waitFor();
    expect(await row(page, 'on call').innerText()).toMatch(/alerts\.example\.com[\s\S]*regression, nothing executed/);
    expect(await page.content()).not.toContain('secret-path');
    await page.getByRole('button', { name: 'Send a test by on call' }).click();
    await page.getByText('A test alert is on its way').waitFor();
    await page.getByRole('button', { name: 'Change on call' }).click();
    await page.getByLabel('Quiet from').fill('22:00');
    await page.getByLabel('until').fill('07:00');
    await page.getByRole('button', { name: 'Store the change' }).click();
    await row(page, '22:00 to 07:00').waitFor();
    // Nobody can read it again.
    expect(await page.getByLabel('The signing secret').inputValue()).toBe(secret);
    page.once('dialog', (question) => void question.accept());
    await page.getByRole('button', { name: 'Delete on call' }).click();
    await page.getByText('on call is gone.').waitFor();
    await page.getByRole('button', { name: 'Send a test by on call' }).waitFor({ state: 'detached' });
  });

  test('whoever may only read is shown no button that does something, and no section of admins', async () => {
    const { ask } = world().running;
    await ask('mutation { createPerson(input: { login: "lena", role: READER }) { __typename } }');
    const token = await newToken('lena', 'RUNS_READ');
    const run = `/runs/${world().runOf(39)}`;
    const buttons = async (page: Page) =>
      (await page.locator('main').getByRole('button').allInnerTexts()).filter(
        (name) => !/^(HTML|CSV|JSONL|JUnit|Copy)/.test(name),
      );

    const page = await world().open(run, { token });
    await page.getByRole('button', { name: /^HTML/ }).waitFor();
    expect(await buttons(page)).toEqual([]);
    expect(await page.getByRole('textbox').count()).toBe(0);
    await page.getByRole('link', { name: 'Opening hours' }).click();
    await page.getByText('Try it again').waitFor();
    expect((await buttons(page)).filter((name) => !/\d$/.test(name))).toEqual([]);
    const writer = await world().open(run);
    await writer.getByRole('button', { name: 'Run all again' }).waitFor();

    const setUp = await world().open('/set-up/alerts', { token });
    await setUp.getByRole('heading', { name: 'What was told' }).waitFor();
    await setUp.getByText('Sign out').waitFor();
    expect(await setUp.locator('.sections a').allInnerTexts()).toEqual([
      ...['Suites and cases', 'AI configurations', 'Schedules', 'Alerts', 'Repositories', 'Settings'],
    ]);
    expect(await buttons(setUp)).toEqual([]);
    await section(setUp, 'Settings').click();
    await setUp.getByText('test_suites.retention_days').first().waitFor();
    expect(await setUp.locator('main input').count()).toBe(0);
    for (const path of ['tokens', 'people', 'audit', 'runners']) {
      const closed = await world().open(`/set-up/${path}`, { token });
      await closed.getByText('only admins see this').waitFor();
      expect(await buttons(closed)).toEqual([]);
    }
    // What is hidden is refused as well.
    const refused = await page.context().request.post(`${world().running.product.url}/graphql`, {
      data: { query: `mutation { cancelRun(id: "${world().runOf(39)}") { __typename } }` },
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    expect(await refused.text()).toContain('FORBIDDEN');
  });
}
