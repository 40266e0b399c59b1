import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PageWorld } from './page-world.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  id: string;
  impact: string | null;
  nodes: { html: string; failureSummary?: string }[];
}

/** What an audit of accessibility finds serious. The page forbids foreign scripts, so the audit runs beside it, not in it. */
async function seriousFindings(page: Page, rules: readonly string[] = []): Promise<string[]> {
  const only = rules.length === 0 ? '' : `, runOnly: ${JSON.stringify(rules)}`;
  const run = `(async () => { ${axe}; const { violations } = await axe.run(document, { resultTypes: ['violations']${only} }); return violations; })()`;
  const session = await page.context().newCDPSession(page);
  const { result } = await session.send('Runtime.evaluate', {
    expression: run,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  return (result.value as Finding[])
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary ?? ''}`);
}

/** What a phone shows only to who scrolls sideways. A matrix may be as wide as it has cells, inside its own frame. */
const beyondTheEdge = (): string[] => {
  const aside = '.unseen, svg, pre, .stacks thead, .scroll:has(.matrix)';
  return [...document.querySelectorAll('body, header *, main *')]
    .filter((one) => one.closest(aside) === null || one.matches('.scroll'))
    .filter(
      (one) =>
        Math.max(one.getBoundingClientRect().right, one === document.body ? one.scrollWidth : 0) > innerWidth + 1,
    )
    .map((one) => `${one.tagName} ${one.className} ${one.textContent?.slice(0, 40)}`);
};

const sections = [
  'definitions',
  'models',
  'schedules',
  'alerts',
  'repositories',
  'runners',
  'people',
  'tokens',
  'audit',
  'settings',
];

/** Each view and each section as everybody meets it: read aloud, in light and dark, and as narrow as a phone. */
export function testEveryView(world: () => PageWorld): void {
  let page: Page;
  let ids: { suiteRun: string; suite: string };
  beforeAll(async () => {
    page = await world().open('/runs', { stays: true });
    const [row] = await world().running.rows<typeof ids>(
      `select s.id as "suiteRun", a.id as suite from test_suite_runs s, agent_test_suites a
       where s.run_id = $1 and s.variant <> 'baseline' and a.name = 'Plant advice' order by s.sort_order limit 1`,
      [world().runOf(39)],
    );
    if (row === undefined) throw new Error('#39 has no suite run');
    ids = row;
  }, 600_000);
  afterAll(async () => await page?.context().close());

  const views: Readonly<Record<string, () => string>> = {
    Home: () => '/',
    Runs: () => '/runs',
    Run: () => `/runs/${world().runOf(39)}`,
    'Run with a matrix': () => `/runs/${world().runOf(38)}`,
    'Run without an answer': () => `/runs/${world().runOf(37)}`,
    'Suite run': () => `/suite-runs/${ids.suiteRun}`,
    Case: () => `/suite-runs/${ids.suiteRun}/cases/Opening%20hours`,
    'All trends': () => '/suites',
    Trend: () => `/suites/${ids.suite}`,
    Compare: () => `/compare?base=${world().runOf(38)}&head=${world().runOf(39)}`,
    'Compare nothing': () => '/compare',
    Gone: () => '/runs/00000000-0000-4000-8000-000000000000',
    ...Object.fromEntries(sections.map((name) => [`Set-up: ${name}`, () => `/set-up/${name}`])),
  };

  test.each(Object.entries(views))(
    '%s has no serious fault of accessibility in light and dark, and nothing beside the screen of a phone',
    async (_name, path) => {
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(new URL(path(), page.url()).href);
      await page.locator('main .card, .virtual li').first().waitFor();
      await page.locator('.loading').first().waitFor({ state: 'detached' });
      const add = page.getByRole('button', { name: 'Add a channel' });
      if ((await add.count()) > 0) await add.click();
      expect(await seriousFindings(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await seriousFindings(page, ['color-contrast'])).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      await expect.poll(() => page.evaluate(beyondTheEdge)).toEqual([]);
    },
    140_000,
  );
}
