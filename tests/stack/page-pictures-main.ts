// `npm run pictures` makes the pictures of docs/dashboard.md anew: each view with three weeks of a team, light and dark, on a desk and
// on a phone. With an address of a running `npm run dev -- --story` and its token it uses that one.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { z } from 'zod';
import { shrinkPng } from '../../scripts/pictures/shrink-png.ts';
import { findChromium } from './chromium.ts';
import { createDatabase } from './databases.ts';
import { startNats } from './nats.ts';
import { startPostgres } from './postgres.ts';
import { repositoryRoot } from './processes.ts';
import { startProduct } from './product.ts';
import { setUpTeam } from './set-up-team.ts';
import { tellTeamStory } from './tell-team-story.ts';

const pictures = join(repositoryRoot, 'docs/pictures');
async function takeAllOfNew(): Promise<void> {
  await using postgres = await startPostgres({ fast: true });
  await using nats = await startNats();
  const databaseUrl = await createDatabase(postgres.url);
  await using product = await startProduct({ postgresUrl: postgres.url, databaseUrl, nats });
  await tellTeamStory({ databaseUrl });
  await takeAll({ url: product.url, token: await setUpTeam({ ...product, databaseUrl }) });
}

interface Place {
  url: string;
  token: string;
}

interface View {
  name: string;
  path: string;
  /** Pixels of the wide picture from top; a phone is as high as it is. */
  height: number;
  isSignedOut?: boolean;
  /** Where the picture of a phone begins: what is wanted stands further down there. */
  from?: string;
  before?: (page: Page) => Promise<void>;
}

async function takeAll(place: Place): Promise<void> {
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ['--no-sandbox', '--disable-lcd-text'],
  });
  try {
    const signedIn = await browser.newContext();
    await signedIn.request.post(`${place.url}/session`, { data: { token: place.token } });
    const storageState = await signedIn.storageState();
    for (const view of await viewsOf(place)) {
      const { path, height, isSignedOut = false, before } = view;
      const context = await browser.newContext(isSignedOut ? {} : { storageState });
      const page = await context.newPage();
      await page.setViewportSize({ width: 1200, height });
      await page.goto(`${place.url}${path}`);
      await page.locator('main .card, .virtual li').first().waitFor();
      await before?.(page);
      await page.locator('.loading').first().waitFor({ state: 'detached' });
      await takeFour(page, view);
      await context.close();
    }
  } finally {
    await browser.close();
  }
}

/** As it is now: on a desk and on a phone, light and dark. */
async function takeFour(page: Page, { name, height, from = 'body' }: View): Promise<void> {
  for (const [size, kind] of [
    [{ width: 1200, height }, ''],
    [{ width: 390, height: 844 }, '-phone'],
  ] as const) {
    await page.setViewportSize(size);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const begin = kind === '' ? 'body' : from;
      await page.locator(begin).evaluate((one) => scrollTo(0, one.getBoundingClientRect().top + scrollY));
      const drawn = await page.screenshot({ animations: 'disabled' });
      const file = `page-${name}${kind}${colorScheme === 'dark' ? '-dark' : ''}.png`;
      await writeFile(join(pictures, file), shrinkPng(drawn));
    }
  }
}

async function ask({ url: address, token: bearer }: Place, query: string): Promise<unknown> {
  const response = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
    body: JSON.stringify({ query }),
  });
  return await response.json();
}

const Runs = z.object({
  data: z.object({
    runs: z.object({
      edges: z.array(
        z.object({
          node: z.object({
            id: z.string(),
            pullRequest: z.int().nullable(),
            suiteRuns: z.array(
              z.object({ id: z.string(), suiteId: z.string(), suiteName: z.string(), variant: z.string() }),
            ),
          }),
        }),
      ),
    }),
  }),
});

/** What comes after the list is there. On a phone it is not shown. */
async function historyThere(page: Page): Promise<void> {
  await page.locator('.strip').first().waitFor({ state: 'attached' });
}

async function viewsOf(place: Place): Promise<View[]> {
  const answer = await ask(
    place,
    '{ runs(first: 60) { edges { node { id pullRequest suiteRuns { id suiteId suiteName variant } } } } }',
  );
  const runs = Runs.parse(answer).data.runs.edges.map(({ node }) => node);
  const runOf = (number: number) => {
    const run = runs.findLast(({ pullRequest }) => pullRequest === number);
    if (run === undefined) throw new Error(`The story has no run of #${number}`);
    return run;
  };
  const suiteRunOf = (number: number, name: string) =>
    runOf(number).suiteRuns.find((one) => one.suiteName === name && one.variant !== 'BASELINE');
  const support = suiteRunOf(39, 'Support desk');
  return [
    { name: 'sign-in', path: '/runs', height: 600, isSignedOut: true },
    { name: 'home', path: '/', height: 900 },
    { name: 'runs', path: '/runs', height: 1000 },
    { name: 'run', path: `/runs/${runOf(39).id}`, height: 1300 },
    { name: 'live', path: `/runs/${runOf(40).id}`, height: 800 },
    { name: 'matrix', path: `/runs/${runOf(38).id}`, height: 1500, from: '#matrix' },
    { name: 'suite-run', path: `/suite-runs/${support?.id}`, height: 1000, before: historyThere, from: '#cases' },
    { name: 'case', path: `/suite-runs/${support?.id}/cases/Opening%20hours`, height: 1250 },
    {
      name: 'tools',
      path: `/suite-runs/${suiteRunOf(33, 'Returns')?.id}/cases/Return%20too%20late`,
      height: 1400,
      from: '#tools',
    },
    { name: 'trends', path: `/suites/${suiteRunOf(39, 'Plant advice')?.suiteId}`, height: 1000 },
    {
      name: 'compare',
      path: `/compare?base=${runOf(37).id}&head=${runOf(39).id}`,
      height: 1000,
      before: async (page) => {
        await page.locator('summary').first().click();
        await page.evaluate(() => scrollTo(0, 0));
      },
    },
    { name: 'suites', path: '/suites', height: 500 },
    {
      name: 'set-up',
      path: '/set-up',
      height: 700,
      before: async (page) => await page.locator('summary').first().click(),
    },
    { name: 'models', path: '/set-up/models', height: 700 },
    { name: 'schedules', path: '/set-up/schedules', height: 800 },
    { name: 'alerts', path: '/set-up/alerts', height: 900 },
    {
      name: 'channel',
      path: '/set-up/alerts',
      height: 800,
      before: async (page) => await page.getByRole('button', { name: 'Add a channel' }).click(),
    },
    { name: 'repositories', path: '/set-up/repositories', height: 500 },
    { name: 'runners', path: '/set-up/runners', height: 500 },
    { name: 'people', path: '/set-up/people', height: 800 },
    { name: 'tokens', path: '/set-up/tokens', height: 800 },
    { name: 'audit', path: '/set-up/audit', height: 900 },
    { name: 'settings', path: '/set-up/settings', height: 600 },
  ];
}

const [url, token] = process.argv.slice(2);
if (url !== undefined && token !== undefined) await takeAll({ url, token });
else await takeAllOfNew();
