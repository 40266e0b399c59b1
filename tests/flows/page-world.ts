import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findChromium } from '../stack/chromium.ts';
import { type TeamEvent, teamEvents } from '../stack/team-events.ts';
import { type ToldRun, tellTeamStory } from '../stack/tell-team-story.ts';
import { type RunningProduct, startRunningProduct } from './running-product.ts';

type OpenOptions = { signedIn?: boolean; token?: string; stays?: boolean } & BrowserContextOptions;

export type PageWorld = AsyncDisposable & {
  running: RunningProduct;
  /** The runs of the last days, oldest first. */
  told: readonly ToldRun[];
  /** The run of this pull request, as it ended last. */
  runOf: (number: number) => string;
  /** A new browser window without memory at this address. */
  open: (path: string, options?: OpenOptions) => Promise<Page>;
  /** Closes all windows but those that stay: each of them follows what goes on, and costs others their time. */
  closeWindows: () => Promise<void>;
  /** What browsers complained of so far: errors of scripts, refused loads, requests to elsewhere. */
  complaints: string[];
};

const nightly = (hoursAgo: number): TeamEvent => ({
  hoursAgo,
  kind: 'schedule',
  author: 'scheduler',
  title: 'Nightly',
});

/** A base that is known well enough for single cases to decide. */
const quietWeek: readonly TeamEvent[] = [
  { hoursAgo: 120, kind: 'push', author: 'olivia', title: 'Bring the agents into the repository' },
  nightly(96),
  nightly(72),
  {
    hoursAgo: 60,
    kind: 'pull',
    number: 37,
    author: 'olivia',
    title: 'Rotate the key of the models',
    error: 'The provider answered 401 Incorrect API key provided',
  },
];

/** The product with some days of a team in it, and a browser. One world for all views: it takes seconds to make. */
export async function openPageWorld(): Promise<PageWorld> {
  const closing = new AsyncDisposableStack();
  try {
    const running = closing.use(
      await startRunningProduct({
        // Nobody is there: the page offers the way, and goes no step of it.
        coordinatorEnv: {
          ...{ PROOFMARK_SIGN_IN_ISSUER: 'http://127.0.0.1:9', PROOFMARK_SIGN_IN_CLIENT_ID: 'proofmark' },
          PROOFMARK_GRAPHIQL: 'true',
        },
      }),
    );
    const told = await tellTeamStory({
      databaseUrl: running.databaseUrl,
      events: [...quietWeek, ...teamEvents.filter(({ number = 0 }) => number >= 38)],
    });
    const browser: Browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
    closing.defer(() => browser.close());
    const complaints: string[] = [];
    const windows = new Set<BrowserContext>();
    const closeWindows = async (): Promise<void> => {
      for (const context of windows) {
        for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
        await context.close();
      }
      windows.clear();
    };
    const open: PageWorld['open'] = async (
      path,
      { signedIn = true, token = running.product.token, stays = false, ...options } = {},
    ) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
      if (!stays) windows.add(context);
      const page = await context.newPage();
      // As patient as a test: a machine under load is slow, and no claim of any view.
      page.setDefaultTimeout(140_000);
      page.on('pageerror', (error) => complaints.push(`${path}: ${error.message}`));
      page.on('console', (message) => {
        // What the network refused is told by the page, and by the tests that ask for it.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
          complaints.push(`${path}: ${message.text()}`);
      });
      page.on('request', (request) => {
        if (!request.url().startsWith(running.product.url)) complaints.push(`${path}: asked ${request.url()}`);
      });
      // The window shares its cookies with this request.
      if (signedIn) await context.request.post(`${running.product.url}/session`, { data: { token } });
      await page.goto(new URL(path, running.product.url).href);
      return page;
    };
    const moved = closing.move();
    return {
      running,
      told,
      open,
      closeWindows,
      complaints,
      runOf: (number) => {
        const found = told.findLast(({ event }) => event.number === number);
        if (found === undefined) throw new Error(`no run of #${number} was told`);
        return found.id;
      },
      [Symbol.asyncDispose]: () => moved.disposeAsync(),
    };
  } catch (error) {
    await closing.disposeAsync();
    throw error;
  }
}

/** As many cases in the verdict of a suite run as wanted: what the page is told does not depend on how they came there. */
export async function swell({ running }: PageWorld, suiteRunId: string | undefined, cases: number): Promise<void> {
  const one = `jsonb_build_object('caseName', 'Case ' || n, 'notComparable', false, 'changedParts', '[]'::jsonb, 'quarantined', false,
    'base', jsonb_build_object('planned', 3, 'passed', 3, 'failed', 0, 'errored', 0, 'invalid', 0),
    'head', jsonb_build_object('planned', 3, 'passed', 3, 'failed', 0, 'errored', 0, 'invalid', 0),
    'window', null, 'baseStatus', 'passed', 'headStatus', 'passed', 'p', 1, 'adjustedP', 1)`;
  await running.rows(
    `update test_suite_runs set verdict_detail = jsonb_set(verdict_detail, '{cases}',
       (select jsonb_agg(${one}) from generate_series(1, $2) n)) where id = $1`,
    [suiteRunId, cases],
  );
}
