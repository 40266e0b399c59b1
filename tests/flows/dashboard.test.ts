import { afterAll, beforeAll, expect, test } from 'vitest';
import { Failures, Progress, RunAnswer, RunList, TestRunAnswer, TestRunPage } from '../../dashboard/src/answers.ts';
import { queries } from '../../dashboard/src/queries.ts';
import { takeEvents } from '../../dashboard/src/sse-events.ts';
import { modelSuite, type RunningProduct, startRunningProduct } from './running-product.ts';

let running: RunningProduct;
beforeAll(async () => {
  running = await startRunningProduct();
});
afterAll(async () => await running?.[Symbol.asyncDispose]());

const get = (path: string, method = 'GET') => fetch(`${running.product.url}${path}`, { method });

test('the address in the comment leads to a page, as do its script, its style and its icon', async () => {
  const types = await Promise.all(
    ['/', '/runs/7d444840-9dc0-41d1-b245-5ffdce74fad2', '/assets/app.js', '/assets/style.css', '/assets/icon.svg'].map(
      async (path) => {
        const { status, headers } = await get(path);
        return [path.split('/')[1], status, headers.get('content-type')];
      },
    ),
  );
  expect(types).toEqual([
    ['', 200, 'text/html; charset=utf-8'],
    ['runs', 200, 'text/html; charset=utf-8'],
    ['assets', 200, 'text/javascript; charset=utf-8'],
    ['assets', 200, 'text/css; charset=utf-8'],
    ['assets', 200, 'image/svg+xml'],
  ]);
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

test('every query of the page is answered in the shape that the page reads', async () => {
  const runId = await running.start(modelSuite({ cases: 2, repetitions: 2 }));
  await running.waitForEnd(runId);
  const { runs } = RunList.parse((await running.ask(queries.runs, { after: null })).data);
  expect(runs.edges.map(({ node }) => node.id)).toContain(runId);
  const { run } = RunAnswer.parse((await running.ask(queries.run, { id: runId })).data);
  expect(run).toMatchObject({
    status: 'COMPLETED',
    totalCases: 4,
    openCases: 0,
    suiteRuns: [{ suiteName: 'Opening hours' }],
  });
  const page = TestRunPage.parse(
    (await running.ask(queries.testRuns, { id: run?.suiteRuns[0]?.id, after: null })).data,
  );
  const testRuns = page.suiteRun?.testRuns.edges.map(({ node }) => node) ?? [];
  expect(testRuns.map(({ caseName, repetition, status }) => [caseName, repetition, status])).toEqual([
    ['Case 1', 1, 'PASSED'],
    ['Case 1', 2, 'PASSED'],
    ['Case 2', 1, 'PASSED'],
    ['Case 2', 2, 'PASSED'],
  ]);
  const { testRun } = TestRunAnswer.parse((await running.ask(queries.testRun, { id: testRuns[0]?.id })).data);
  expect(testRun).toMatchObject({ response: 'We open at 9 and close at 17.', checks: [{ status: 'pass' }] });
  const { suiteRun } = Failures.parse((await running.ask(queries.failures, { id: run?.suiteRuns[0]?.id })).data);
  expect(suiteRun?.failures).toEqual([]);
});

test('the page hears how a run goes on, to its end', async () => {
  const { model, product } = running;
  model.hold();
  const runId = await running.start(modelSuite({ cases: 3 }));
  await model.whenInFlight(3);
  const response = await fetch(`${product.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      authorization: `Bearer ${product.token}`,
    },
    body: JSON.stringify({ query: queries.progress, variables: { id: runId } }),
  });
  let received = '';
  const open: number[] = [];
  for await (const part of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const { events, rest } = takeEvents(received + part);
    received = rest;
    const told = events
      .filter(({ event }) => event === 'next')
      .map(({ data }) => Progress.parse(JSON.parse(data).data));
    open.push(...told.map(({ runProgress }) => runProgress.openCases));
    if (open.length > 0) model.release();
  }
  expect([open[0], open.at(-1)]).toEqual([3, 0]);
});
