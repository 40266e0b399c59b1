import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { testLargeRuns } from './page-at-size.ts';
import { testEveryView } from './page-audit.ts';
import { testBase } from './page-base.ts';
import { testChanges } from './page-changes.ts';
import { testSetUp } from './page-set-up.ts';
import { testSigningIn } from './page-sign-in.ts';
import { openPageWorld, type PageWorld } from './page-world.ts';

let world: PageWorld;
beforeAll(async () => {
  world = await openPageWorld();
}, 600_000);
afterEach(async () => await world?.closeWindows());
afterAll(async () => await world?.[Symbol.asyncDispose]());

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
const text = (page: Page) => page.locator('main').innerText();
const pathOf = (page: Page) => new URL(page.url()).pathname + new URL(page.url()).search;
const regressed = () => `/runs/${world.runOf(39)}`;

/** The case of the friendlier prompt that broke for certain. */
const openCase = async (): Promise<Page> => {
  const page = await world.open(regressed());
  await page.getByRole('link', { name: 'Opening hours' }).click();
  await heading(page, 'Opening hours');
  return page;
};

describe('what the coordinator serves', () => {
  const get = (path: string, method = 'GET') => fetch(`${world.running.product.url}${path}`, { method });

  test('every address of a view leads to the page, and nothing beside the page is given away', async () => {
    const id = '7d444840-9dc0-41d1-b245-5ffdce74fad2';
    const views = [
      '/',
      '/runs',
      `/runs/${id}`,
      `/suite-runs/${id}/cases/a`,
      `/test-runs/${id}`,
      '/suites',
      '/compare',
      '/set-up/tokens',
    ];
    for (const path of views) expect((await get(path)).headers.get('content-type')).toBe('text/html; charset=utf-8');
    const types = await Promise.all(
      ['/assets/app.js', '/assets/style.css', '/assets/icon.svg'].map(async (path) =>
        (await get(path)).headers.get('content-type'),
      ),
    );
    expect(types).toEqual(['text/javascript; charset=utf-8', 'text/css; charset=utf-8', 'image/svg+xml']);
    expect((await get('/assets/../../package.json')).status).toBe(404);
    expect((await get('/assets/app.js.map')).status).toBe(404);
  });

  test('G12 the page may run its own script only, and nobody may frame it or change it', async () => {
    const { headers } = await get('/');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|\*|data:|http/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect([(await get('/', 'HEAD')).status, (await get('/', 'POST')).status]).toEqual([200, 405]);
  });
});

describe('signing in', () => testSigningIn(() => world));

describe('views', () => {
  test('Home says what broke in the last day, and how each suite and cell stands', async () => {
    const page = await world.open('/');
    await page.getByRole('link', { name: 'Support desk' }).first().waitFor();
    // What broke and how suites stand are two questions, and either may be answered first.
    for (const shown of ['#39', 'Opening hours', 'gpt-5-mini', 'claude-haiku', 'llama-4'])
      await page.locator('main', { hasText: shown }).waitFor();
    await page
      .getByRole('img', { name: /Pass rate of the last/ })
      .first()
      .waitFor();
  });

  test('Runs are filtered by the address, which can be sent to somebody, and an empty list says what to do', async () => {
    const page = await world.open('/runs');
    await page.getByRole('link', { name: /#39/ }).waitFor();
    await page.getByLabel('Verdict').selectOption('REGRESSED');
    await page.waitForURL(/verdict=REGRESSED/);
    const sent = await world.open(pathOf(page));
    await sent.getByRole('link', { name: /#39/ }).waitFor();
    expect(await sent.getByLabel('Verdict').inputValue()).toBe('REGRESSED');
    await sent.getByLabel('Search this page').fill('nothing is called so');
    await sent.getByText('No run fits.').waitFor();
    await sent.getByRole('link', { name: 'Show all runs' }).click();
    await sent.getByRole('link', { name: /#39/ }).waitFor();
    expect(pathOf(sent)).toBe('/runs');
  });

  test('a Run says what it came to, what broke and why, how each suite fares, and what changed in the agent', async () => {
    const page = await world.open(regressed());
    await heading(page, /#39/);
    await page.getByText('missing').first().waitFor();
    await page.getByText('The shop is open on weekdays.').waitFor();
    await page
      .getByText(/was \$0\.00/)
      .first()
      .waitFor();
    const shown = await text(page);
    expect(shown).toMatch(/Support desk[\s\S]*regressed/);
    expect(shown).toContain('Opening hours');
    expect(shown).toContain('− ');
    expect(shown).toMatch(/\d% → \d/);
    expect(await page.getByRole('link', { name: '#39' }).getAttribute('href')).toBe(
      'https://github.com/fern-and-fable/agents/pull/39',
    );
  });

  test('the matrix of a run shows cells against cases, those that lost most first', async () => {
    const page = await world.open(`/runs/${world.runOf(38)}`);
    const row = page.locator('.matrix tbody tr').first();
    await row.waitFor();
    expect(await row.innerText()).toMatch(/^(Pests|Dark corner)\s/);
    expect(await row.innerText()).toContain('0/2');
    expect(await page.locator('.matrix thead th').allInnerTexts()).toEqual([
      'Case',
      'gpt-5-mini',
      'claude-haiku',
      'llama-4',
    ]);
  });

  test('a Suite run lists broken cases first, with the counts of both sides, and filters them', async () => {
    const page = await world.open(regressed());
    await page.getByRole('group', { name: 'Suites' }).getByRole('link', { name: 'Support desk' }).click();
    await heading(page, 'Support desk');
    const first = page.getByRole('list', { name: 'Cases' }).getByRole('listitem').first();
    await first.getByText('broke').waitFor();
    expect(await first.innerText()).toMatch(/\d+\/\d+ → 0\/3/);
    await page.getByLabel('Show').selectOption('regressed');
    await page.getByRole('link', { name: 'Gift cards' }).waitFor({ state: 'detached' });
    await page.getByLabel('Show').selectOption('');
    await page.getByLabel('Tag').selectOption('language');
    await page.getByRole('link', { name: 'Opening hours' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Answers in German' }).waitFor();
  });

  test('a Test run stands beside the one of the base, with the words marked that differ, and the ways to repeat it', async () => {
    const page = await openCase();
    await page.getByText('Why it did not pass').waitFor();
    await page.locator('del').first().waitFor();
    const sides = page.locator('.sides .side');
    expect(await sides.nth(0).innerText()).toContain('Monday to Friday');
    expect(await sides.nth(1).innerText()).toContain('on weekdays');
    expect(await text(page)).toContain('missing “Monday to Friday”, “9 to 17”');
    expect(await text(page)).toMatch(/proofmark replay [0-9a-f-]{36} --coordinator .* --judge-only/);
    expect(await text(page)).toMatch(/210|2[0-9]{2} tokens in/);
  });

  test('a case says whether it broke as the gate says it, beside the state of the repetition', async () => {
    const broken = await openCase();
    const marks = (page: Page) => page.locator('.hero .head .mark').allInnerTexts();
    expect(await marks(broken)).toEqual(['✗ broke', '✗ failed']);
    const [own] = await world.running.rows<{ id: string; detail: unknown }>(
      `select s.id, s.verdict_detail as detail from test_suite_runs s join agent_test_suites a on a.id = s.suite_id
       where s.run_id = $1 and a.name = 'Support desk' and s.variant <> 'baseline'`,
      [world.runOf(39)],
    );
    // What only the alert rule of the suite calls newly failing is held against nobody.
    await world.running.rows(
      `update test_suite_runs set verdict_detail = jsonb_set(verdict_detail, '{newlyFailing}', '["Gift cards"]') where id = $1`,
      [own?.id],
    );
    const page = await world.open(`/suite-runs/${own?.id}/cases/Gift%20cards`);
    await heading(page, 'Gift cards');
    expect(await marks(page)).toEqual(['✓ passed']);
    await world.running.rows('update test_suite_runs set verdict_detail = $2 where id = $1', [
      own?.id,
      JSON.stringify(own?.detail),
    ]);
  });

  test('a Test run shows the files that were read for it, with their text behind a click', async () => {
    const page = await openCase();
    await page.getByText('Why it did not pass').waitFor();
    const id = /replay ([0-9a-f-]{36})/.exec(await text(page))?.[1];
    const file = {
      original: { path: 'docs/hours.pdf', type: 'pdf' },
      markdown_content: '# Hours of the shop',
      error: null,
    };
    await world.running.rows(
      `update test_case_results set payload = jsonb_set(payload::jsonb, '{files}', $2) where id = $1`,
      [id, JSON.stringify([{ ...file, metadata: { pages: 2 }, processing_time_ms: 12 }])],
    );
    await page.reload();
    await page.getByText('docs/hours.pdf').click();
    await page.getByText('# Hours of the shop').waitFor();
    expect(await text(page)).toContain('pages 2');
  });

  test('the answer of a Test run is judged again without its agent, as a run of its own', async () => {
    const page = await openCase();
    await page.getByRole('button', { name: 'Judge again' }).click();
    await heading(page, /^Run /);
    const started = pathOf(page).split('/').at(-1);
    const planned = await world.running.rows(
      `select c.content #>> '{recorded,response}' as said from planned_test_runs p
       join test_suite_runs s on s.id = p.suite_run_id join work_contents c on c.tenant_id = p.tenant_id and c.hash = p.case_content_hash
       where s.run_id = $1`,
      [started],
    );
    expect(planned).toEqual([{ said: expect.stringContaining('We are open on weekdays') }]);
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByText('The run is cancelled.').waitFor();
  });

  test('repetitions are one key apart', async () => {
    const page = await openCase();
    await page.getByRole('button', { name: /repetition 1/, pressed: true }).waitFor();
    await page.keyboard.press(']');
    await page.getByRole('button', { name: /repetition 2/, pressed: true }).waitFor();
    await page.keyboard.press('[');
    await page.getByRole('button', { name: /repetition 1/, pressed: true }).waitFor();
  });

  test('tool calls of both sides stand in line', async () => {
    const page = await world.open(regressed());
    await page.getByRole('group', { name: 'Suites' }).getByRole('link', { name: 'Returns' }).click();
    await page.getByRole('link', { name: 'Return within 30 days' }).click();
    await page.getByText('send_label').first().waitFor();
    const calls = page.locator('.calls > li');
    expect(await calls.count()).toBe(2);
    expect(await calls.nth(0).innerText()).toMatch(/find_order[\s\S]*find_order/);
  });
});

describe('what can be explored', () => {
  test('a Trend shows the curve of each cell with its interval, and compares any two results that are chosen', async () => {
    const page = await world.open('/suites');
    await page.getByRole('link', { name: 'Support desk' }).click();
    await page.getByRole('img', { name: /Pass rates over time/ }).waitFor();
    for (const what of ['Cost over time', 'Latency over time']) await page.getByRole('img', { name: what }).waitFor();
    await page.getByLabel('Branches').selectOption('1');
    const changed = page.locator('details', { hasText: 'the agent changed' }).first();
    await changed.locator('summary').click();
    await changed.getByText('support.agent.yaml').first().waitFor();
    const boxes = page.getByRole('checkbox');
    await boxes.nth(1).waitFor();
    await boxes.first().check();
    await boxes.last().check();
    await page.getByRole('link', { name: /^Compare / }).click();
    await heading(page, 'Compare');
    await page.getByText('Opening hours').first().waitFor();
  });

  test('Compare holds any two runs side by side, question by question, with both answers one click away', async () => {
    const [first] = world.told;
    const page = await world.open(`/compare?base=${first?.id}&head=${world.runOf(39)}`);
    const broken = page.locator('details', { hasText: 'Opening hours' }).first();
    await broken.locator('summary').click();
    await broken.locator('del').first().waitFor();
    expect(await broken.innerText()).toContain('on weekdays');
  });
});

describe('Set-up, and what a reader may do', () => testSetUp(() => world));

test('from the link of a comment to both answers of a broken case: at most three clicks', async () => {
  const page = await world.open(regressed());
  let clicks = 0;
  const click = async (name: string): Promise<void> => {
    clicks += 1;
    await page.getByRole('link', { name }).first().click();
  };
  await click('Opening hours');
  await page.locator('.sides .side').nth(1).waitFor();
  expect(await text(page)).toContain('Monday to Friday');
  expect(clicks).toBeLessThanOrEqual(3);
});

test('back and forward lead through the views, and each address opens by itself', async () => {
  const page = await openCase();
  const deep = pathOf(page);
  await page.goBack();
  await heading(page, /#39/);
  await page.goForward();
  await heading(page, 'Opening hours');
  const other = await world.open(deep);
  await heading(other, 'Opening hours');
});

test('what is not there says what to do', async () => {
  const nowhere = '00000000-0000-4000-8000-000000000000';
  for (const [path, name] of [
    [`/runs/${nowhere}`, 'There is no such run'],
    [`/suite-runs/${nowhere}`, 'There is no such suite run'],
    [`/test-runs/${nowhere}`, 'There is no such test run'],
  ] as const) {
    const page = await world.open(path);
    await heading(page, name);
    await page.getByRole('link', { name: 'All runs' }).click();
    await heading(page, 'Runs');
  }
  const cut = await world.open('/runs/cut');
  await cut.getByText('There is nothing at this address.').waitFor();
});

test('all of it works with the keyboard alone, from the list to the reason', async () => {
  const page = await world.open('/runs?verdict=REGRESSED&pull=39');
  await page.getByRole('link', { name: /#39/ }).waitFor();
  const tabTo = async (name: RegExp): Promise<void> => {
    for (let presses = 0; presses < 60; presses += 1) {
      await page.keyboard.press('Tab');
      if (name.test(await page.evaluate(() => document.activeElement?.textContent ?? ''))) return;
    }
    throw new Error(`${name} is not reached by the tab key`);
  };
  await tabTo(/#39/);
  await page.keyboard.press('Enter');
  await heading(page, /#39/);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
  await tabTo(/^Opening hours$/);
  await page.keyboard.press('Enter');
  await page.getByText('Why it did not pass').waitFor();
});

describe('text that attacks whoever reads it', () => {
  const attacks = [
    '</pre><script>alert(1)</script><img src=x onerror=alert(1)>',
    'javascript:alert(1) https://evil.example/x',
    '\u001B[2J\u001B]8;;https://evil.example\u0007click\u001B]8;;\u0007 \u{202E}dessap\u{2066}',
    'zero\u{200B}width \u{E0041} a\rb',
    `ghp_${'a1'.repeat(18)} sk-${'b2'.repeat(12)}`,
  ];
  const attack = attacks.join('\n');

  test('O6 O7 O8 O12 stays text, hides nothing, shows no key, and two megabytes of it wait for a click', async () => {
    const { rows } = world.running;
    const [victim] = await rows<{ id: string; suiteRun: string }>(
      `select c.id, c.run_id as "suiteRun" from test_case_results c join test_suite_runs s on s.id = c.run_id
       where s.run_id = $1 and c.case_name = 'Gift cards' and c.repetition = 1 and s.variant <> 'baseline' limit 1`,
      [world.runOf(39)],
    );
    await rows('update test_case_results set actual_response = $2, error_message = $3 where id = $1', [
      victim?.id,
      `${attack}\n${'A'.repeat(2_000_000)}`,
      attack,
    ]);
    const page = await world.open(`/test-runs/${victim?.id}`);
    await page.getByText('Why it did not pass').or(page.getByText('Show all')).first().waitFor();
    const shown = await text(page);
    expect(shown).toContain('<script>alert(1)</script>');
    expect(shown).toContain('\\u{202E}');
    expect(shown).not.toMatch(/ghp_|sk-b2/);
    expect(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}]/u.exec(shown)?.[0]).toBeUndefined();
    expect(shown.length).toBeLessThan(60_000);
    expect(await page.locator('main script, main img').count()).toBe(0);
    expect(await page.locator('main a[href*="evil"]').count()).toBe(0);
    await page
      .getByRole('button', { name: /^Show all/ })
      .first()
      .click();
    await expect.poll(async () => (await page.locator('main').textContent())?.length ?? 0).toBeGreaterThan(2_000_000);
  });
});

describe('every view', () => testEveryView(() => world));

test('the colours are those of the system until somebody chooses', async () => {
  const page = await world.open('/runs', { colorScheme: 'dark' });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(await ground()).toBe('rgb(18, 20, 23)');
  await page.getByLabel('Colours').selectOption('light');
  await expect.poll(ground).toBe('rgb(251, 251, 250)');
  await page.reload();
  await expect.poll(ground).toBe('rgb(251, 251, 250)');
});

describe('large runs', () => testLargeRuns(() => world));

describe('the base, and a side without a score', () => testBase(() => world));

describe('what changes, fails or is cut while it is looked at', () => testChanges(() => world));

test('the script of the first view comes gzipped and is at most 120 KB', async () => {
  const { headers } = await fetch(`${world.running.product.url}/assets/app.js`, {
    headers: { 'accept-encoding': 'gzip' },
  });
  expect(headers.get('content-encoding')).toBe('gzip');
  const size = Number(headers.get('content-length'));
  process.stdout.write(`script of the page: ${(size / 1024).toFixed(1)} KB gzipped\n`);
  expect(size).toBeGreaterThan(10 * 1024);
  expect(size).toBeLessThan(120 * 1024);
  const plain = await fetch(`${world.running.product.url}/assets/app.js`, {
    headers: { 'accept-encoding': 'gzip;q=0, identity' },
  });
  expect(plain.headers.get('content-encoding')).toBeNull();
});

test('no browser complained, and nothing was asked of anybody else', () => {
  expect(world.complaints).toEqual([]);
});
