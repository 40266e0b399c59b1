import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { PageWorld } from './page-world.ts';
import { modelSuite } from './running-product.ts';

type Asked = { isByHash: boolean; variables: { after?: string | null }; whole: () => Promise<unknown> };

/** Answers operations in the place of the coordinator; what is null goes through to it. */
async function intercept(
  page: Page,
  answers: Readonly<Record<string, (asked: Asked) => object | null | Promise<object | null>>>,
): Promise<void> {
  await page.route('**/graphql', async (route) => {
    const { operationName, extensions, variables } = route.request().postDataJSON();
    const asked = {
      isByHash: extensions !== undefined,
      variables,
      whole: async () => await (await route.fetch()).json(),
    };
    const said = (await answers[operationName]?.(asked)) ?? null;
    await (said === null ? route.continue() : route.fulfill({ json: said }));
  });
}

const RunOfPage = z.looseObject({ suiteRuns: z.array(z.looseObject({ suiteName: z.string() })) });
const RunPageAnswer = z.object({ data: z.object({ run: RunOfPage }) });
const SuiteRunAnswer = z.object({ data: z.looseObject({ suiteRun: z.looseObject({}) }) });

/** The run of an answer, changed. What a busy coordinator could not answer goes through to the page, which asks again. */
const changed =
  (change: (run: z.infer<typeof RunOfPage>) => object) =>
  async ({ whole }: Asked): Promise<object | null> => {
    const answer = RunPageAnswer.safeParse(await whole());
    return answer.success ? { data: { run: change(answer.data.data.run) } } : null;
  };

/** What a reader sees of what goes on, of what fails at first, and of what is longer than anybody reads. */
export function testChanges(world: () => PageWorld): void {
  test('a matrix reads nothing before it is opened where it is large, then only what it draws, and says what it left out', async () => {
    const page = await world().open('/set-up');
    let asked = 0;
    let isOut = true;
    await intercept(page, {
      // A coordinator that knows none by its hash, and one cell that fails at first.
      MatrixCases: ({ isByHash }) => {
        asked += 1;
        if (isByHash) return { errors: [{ message: 'unknown', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }] };
        if (!isOut) return null;
        isOut = false;
        return { errors: [{ message: 'The ledger rests' }] };
      },
      RunPage: changed((run) => {
        const cell = run.suiteRuns.find(({ suiteName }) => suiteName === 'Plant advice');
        const suiteRuns = Array.from({ length: 30 }, (_, at) => ({
          ...cell,
          ...(at > 0 && { id: `00000000-0000-4000-8000-0000000000${at + 10}` }),
          ...{ variant: 'CANDIDATE', purpose: 'FIRST', cellKey: `model=m${at}`, totalCases: 300 },
        }));
        return { ...run, suiteRuns };
      }),
    });
    await page.goto(new URL(`/runs/${world().runOf(38)}`, page.url()).href);
    await page.getByText('Plant advice in 30 cells').click({ trial: true });
    expect(asked).toBe(0);
    await page.getByText('Plant advice in 30 cells').click();
    await page.getByText('The ledger rests').waitFor();
    await page.locator('.matrix').waitFor();
    expect(await page.locator('.matrix thead th').count()).toBe(1 + 24);
    expect(await page.getByRole('alert').count()).toBe(1);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show 6 more cells' }).click();
    await expect.poll(() => page.locator('.matrix thead th').count()).toBe(1 + 30);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('a run that goes on is followed to its verdict without a click', async () => {
    const { model, start } = world().running;
    model.hold();
    const runId = await start(modelSuite({ cases: 3 }));
    await model.whenInFlight(3);
    const page = await world().open(`/runs/${runId}`);
    let isConfirmed = false;
    await intercept(page, {
      ConfirmSuiteRun: () => {
        isConfirmed = true;
        return { data: { confirmSuiteRun: { run: { id: runId } } } };
      },
      RunPage: changed((run) => {
        const suiteRuns = run.suiteRuns.map((one) => ({ ...one, verdictWord: 'SUSPECTED' }));
        return { ...run, suiteRuns, ...(isConfirmed && { status: 'RUNNING', verdictWord: null }) };
      }),
    });
    await page.getByText('0 of 3').first().waitFor();
    const list = await world().open('/runs');
    await list.locator('.run-row', { hasText: 'running' }).first().waitFor();
    const [suiteRun] = await world().running.rows<{ id: string }>('select id from test_suite_runs where run_id = $1', [
      runId,
    ]);
    const cases = await world().open(`/suite-runs/${suiteRun?.id}`);
    await cases.locator('.virtual > li').first().waitFor();
    await cases.evaluate(() => {
      const fewest = () =>
        Math.min(Number(document.body.dataset.fewest ?? 3), document.querySelectorAll('.virtual > li').length);
      new MutationObserver(() => {
        const [before, now] = [document.body.dataset.fewest, String(fewest())];
        if (before !== now) document.body.dataset.fewest = now;
      }).observe(document.body, { childList: true, subtree: true, characterData: true });
    });
    const oneCase = await world().open(`/suite-runs/${suiteRun?.id}`);
    await oneCase.locator('.virtual a').first().click();
    await oneCase.locator('.hero .mark', { hasText: /running|waiting/ }).waitFor();
    // A reader who looks for other runs than those that go on.
    const queries: { filter?: object }[] = [];
    const filtered = await world().open('/set-up');
    const underWay = new Set<object>();
    let mostAtOnce = 0;
    filtered.on('request', (request) => {
      const { operationName, variables } = request.postDataJSON() ?? {};
      if (operationName !== 'Runs') return;
      queries.push(variables);
      mostAtOnce = Math.max(mostAtOnce, underWay.add(request).size);
    });
    filtered.on('requestfinished', (request) => underWay.delete(request));
    filtered.on('requestfailed', (request) => underWay.delete(request));
    await filtered.goto(new URL('/runs?verdict=IMPROVED&status=PENDING', filtered.url()).href);
    await filtered.getByText('No run fits.').waitFor();
    await filtered.getByLabel('Verdict').selectOption('UNCHANGED');
    model.release();
    await page.locator('.hero .mark', { hasText: /no baseline|unchanged/ }).waitFor();
    await page.locator('.hero', { hasText: '3 of 3' }).waitFor();
    await cases.locator('.hero .mark', { hasText: /no baseline|unchanged/ }).waitFor();
    await cases.locator('.virtual .mark', { hasText: 'passed' }).first().waitFor();
    expect(await cases.evaluate(() => document.body.dataset.fewest)).toBe('3');
    await oneCase.locator('.hero .mark', { hasText: 'passed' }).waitFor();
    await oneCase
      .getByText(/Judged/)
      .or(oneCase.locator('.sides'))
      .first()
      .waitFor();
    await expect
      .poll(() => queries.at(-1)?.filter, { timeout: 60_000 })
      .toEqual({ verdict: 'UNCHANGED', status: 'PENDING' });
    // All runs are told of at first, and those that are told of while it asks share the next question. The end of one is heard a
    // little late, and the other filter may ask meanwhile.
    expect(mostAtOnce).toBeLessThanOrEqual(2);
    await page.getByRole('button', { name: 'Confirm what is suspected' }).click();
    await page.locator('.hero .mark', { hasText: 'running' }).waitFor();
  });

  test('a view that was read while its run ended is read once more, and has the verdict', async () => {
    const runId = await world().running.start(modelSuite({ cases: 2 }));
    await world().running.waitForEnd(runId);
    const [suiteRun] = await world().running.rows<{ id: string }>('select id from test_suite_runs where run_id = $1', [
      runId,
    ]);
    const page = await world().open('/set-up');
    let read = 0;
    // The suite run as it was a moment before its verdict, and its run as it was a moment later.
    const torn = async ({ whole }: Asked) => {
      read += 1;
      if (read > 1) return null;
      const { data } = SuiteRunAnswer.parse(await whole());
      return { data: { ...data, suiteRun: { ...data.suiteRun, verdict: null, verdictWord: null } } };
    };
    await intercept(page, { SuiteRunPage: torn, CaseOfSuiteRun: torn });
    const { href } = new URL(`/suite-runs/${suiteRun?.id}`, page.url());
    await page.goto(href);
    await page.locator('.hero .mark', { hasText: /no baseline|unchanged/ }).waitFor();
    expect(read).toBe(2);
    await page.locator('.virtual a').first().click();
    await page.locator('.hero .mark', { hasText: 'passed' }).waitFor();
    read = 0;
    await page.reload();
    await expect.poll(() => read).toBe(2);
  });

  test('a list that is longer than anybody reads says that it is cut', async () => {
    const page = await world().open('/set-up');
    let asked = 0;
    await intercept(page, {
      SetUpCases: () => {
        asked += 1;
        const edges = Array.from({ length: 100 }, (_, at) => ({
          node: {
            id: `${asked} ${at}`,
            name: `Case ${asked} ${at}`,
            ...{ line: 1, tags: [], difficulty: 'NORMAL', status: 'ACTIVE', isEnabled: true },
          },
        }));
        return { data: { suite: { testCases: { edges, pageInfo: { hasNextPage: true, endCursor: `${asked}` } } } } };
      },
    });
    await page.getByText('10 cases').click();
    await page.getByText(/These are the first 1,?000 cases/).waitFor();
    expect(asked).toBe(10);
  });

  test('a channel can be for any suite, however many there are', async () => {
    const page = await world().open('/set-up/alerts');
    await intercept(page, {
      SuiteNames: ({ variables: { after } }) => {
        const at = Number(after ?? 0);
        const edges = Array.from({ length: 100 }, (_, of) => ({
          node: { id: `${at} ${of}`, name: `Suite ${at} ${of}`, agentName: 'An agent' },
        }));
        return { data: { suites: { edges, pageInfo: { hasNextPage: at < 6, endCursor: `${at + 1}` } } } };
      },
    });
    await page.getByRole('button', { name: 'Add a channel' }).click();
    const suites = page.getByRole('combobox', { name: 'Suite', exact: true });
    await page.getByRole('option', { name: '200 more: find them by name' }).waitFor({ state: 'attached' });
    await page.getByLabel('Suite: find by name').fill('suite 6 42');
    await suites.selectOption({ label: 'Suite 6 42' });
    expect(await suites.getByRole('option').allInnerTexts()).toEqual(['all suites', 'Suite 6 42']);
    expect(await suites.inputValue()).toBe('6 42');
  });

  test('a trend says that a run is gone whose changes somebody wants to see', async () => {
    const page = await world().open('/suites');
    await intercept(page, { ChangesBetween: () => ({ data: { run: null } }) });
    await page.getByRole('link', { name: 'Support desk' }).click();
    await page.getByLabel('Branches').selectOption('1');
    await page.locator('details', { hasText: 'the agent changed' }).first().locator('summary').click();
    await page.getByText('One of the two runs is gone').waitFor();
  });

  test('a page that would hold too many results is not followed to an error, and a table of them is', async () => {
    const { rows } = world().running;
    const run = world().runOf(37);
    const count = (total: string) => rows(`update test_suite_runs set total_cases = ${total} where run_id = $1`, [run]);
    await count('total_cases + 6000');
    const page = await world().open(`/runs/${run}`);
    await page.getByRole('button', { name: /^HTML/ }).click();
    await page.getByText('HTML holds at most 5,000 test runs').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/runs/${run}`);
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name: /^CSV/ }).click();
    expect((await coming).suggestedFilename()).toBe(`run-${run}.csv`);
    await page.getByText('HTML holds at most').waitFor({ state: 'detached' });
    await count('total_cases - 6000');
  });

  test('what the coordinator cannot answer for a moment is asked again', async () => {
    const page = await world().open('/set-up');
    const refused: string[] = [];
    await page.route(/\/(graphql|session)$/, async (route) => {
      const path = new URL(route.request().url()).pathname;
      if (refused.filter((one) => one === path).length === 2) return await route.continue();
      refused.push(path);
      return await route.fulfill({ status: 503, json: { errors: [{ message: 'The ledger does not answer.' }] } });
    });
    await page.goto(new URL('/suites', page.url()).href);
    await page.getByRole('link', { name: 'Support desk' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(refused.toSorted()).toEqual(['/graphql', '/graphql', '/session', '/session']);
  });

  test('a session that has ended is noticed by what is followed as well', async () => {
    const page = await world().open('/set-up');
    await page.route('**/graphql', (route) =>
      route.request().headers().accept === 'text/event-stream' ? route.fulfill({ status: 401 }) : route.continue(),
    );
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.getByText('The session has ended.').waitFor();
  });
}
