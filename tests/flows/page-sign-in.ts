import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { tellPlaces } from '../demo/wait-for-interrupt.ts';
import type { PageWorld } from './page-world.ts';

export function testSigningIn(world: () => PageWorld): void {
  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
  const text = (page: Page) => page.locator('main').innerText();
  const pathOf = (page: Page) => new URL(page.url()).pathname + new URL(page.url()).search;
  const regressed = () => `/runs/${world().runOf(39)}`;

  test('a link opens its target after signing in, a token that is refused is forgotten, and nothing is left behind', async () => {
    const page = await world().open(regressed(), { signedIn: false });
    await heading(page, 'Sign in');
    await page.getByLabel('API token').fill('pmk_stale');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This token opens nothing here').waitFor();
    await page.getByLabel('API token').fill(` ${world().running.product.token} `);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await heading(page, /#39/);
    expect(pathOf(page)).toBe(regressed());
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Sign in');
    expect(await page.context().cookies()).toEqual([]);
    expect(await page.evaluate(() => JSON.stringify([sessionStorage, localStorage, document.cookie]))).not.toContain(
      'pmk_',
    );
    expect(await text(page)).not.toContain('#39');
  });

  test('whoever signs in by name comes back to the address', async () => {
    const to = `${regressed()}?a=1&b=2`;
    const page = await world().open(to, { signedIn: false });
    const way = page.getByRole('link', { name: 'Sign in with 127.0.0.1:9' });
    expect(await way.getAttribute('href')).toBe(`/session/provider?to=${encodeURIComponent(to)}`);
    expect(await text(page)).toContain('proofmark-coordinator access person');
  });

  test('a session that could not be ended is not shown as ended', async () => {
    const page = await world().open(regressed());
    await heading(page, /#39/);
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('alert').filter({ hasText: 'You are still signed in.' }).waitFor();
    await heading(page, /#39/);
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Sign in');
  });

  test('the link that the demo prints signs in once and leads to its run', async () => {
    const lines: string[] = [];
    const say = (line: string) => void lines.push(line);
    const { product } = world().running;
    const github = { apiUrl: 'http://127.0.0.1:9' };
    await tellPlaces({ narrator: { say, title: say }, product, github, runId: world().runOf(39), logFile: 'none' });
    const link = /page +(\S+)/.exec(lines.join('\n'))?.[1] ?? '';
    const page = await world().open(link, { signedIn: false });
    await heading(page, /#39/);
    expect(pathOf(page)).toBe(regressed());
    const again = await world().open(link, { signedIn: false });
    expect(await again.locator('body').innerText()).toContain('This link was used');
  });

  test('GraphiQL asks this coordinator as whoever is signed in, and nobody else', async () => {
    const before = world().complaints.length;
    const page = await world().open('/graphiql');
    await page.getByRole('button', { name: /^Execute/ }).click();
    await page.locator('.result-window', { hasText: '"tenant": "default"' }).waitFor();
    expect(world().complaints.slice(before)).toEqual([]);
  });
}
