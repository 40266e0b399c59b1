import { redactText } from '@proofmark/domain/redact-text';
import { describe, expect, test } from 'vitest';
import { redact } from '../../dashboard/src/visible.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { openDashboard, type PaperPage } from './paper-page.ts';

const noRuns = {
  viewer: { login: 'olivia', tenant: 'acme' },
  runs: { edges: [], pageInfo: { hasNextPage: false, endCursor: null } },
};
const heading = (page: PaperPage) => page.at('content').all.find(({ tagName }) => tagName === 'h1')?.textContent;
const shown = (page: PaperPage, text: string) =>
  waitUntil(() => page.at('content').textContent.includes(text), { what: `the page says ${text}` });

test('a token that is refused is forgotten, and nothing offers to forget it once more', async () => {
  const page = openDashboard(() => ({ status: 401, body: {} }), { token: 'pmk_stale' });
  expect(page.at('account').textContent).toBe('Forget the token');
  await shown(page, 'The token is not valid here. It may have expired.');
  expect(heading(page)).toBe('Which token may this page use?');
  expect([page.at('account').children, [...page.storage]]).toEqual([[], []]);
});

test('the button comes back with a token that is accepted', async () => {
  const page = openDashboard(() => ({ body: { data: noRuns } }));
  expect([heading(page), page.at('account').children]).toEqual(['Which token may this page use?', []]);
  const form = page.at('content').all.find(({ tagName }) => tagName === 'form');
  Object.assign(page.at('token'), { value: ' pmk_fresh ' });
  form?.tell('submit');
  await shown(page, 'There are no runs yet.');
  expect([page.at('account').textContent, [...page.storage.values()]]).toEqual(['Forget the token', ['pmk_fresh']]);
});

test('an empty list is a sentence that says what to do, and neither an empty box nor a button', async () => {
  const page = openDashboard(() => ({ body: { data: noRuns } }), { token: 'pmk_fresh' });
  await shown(page, 'There are no runs yet.');
  expect(page.at('content').textContent).toContain('proofmark run --coordinator https://proofmark.example.com');
  expect(page.at('content').all.filter(({ tagName }) => tagName === 'ul' || tagName === 'button')).toEqual([]);
  expect(page.at('status').textContent).toBe('');
});

const runId = '7d444840-9dc0-41d1-b245-5ffdce74fad2';
const counts = { totalCases: 1, openCases: 0, passedCases: 0, failedCases: 1, erroredCases: 0, skippedCases: 0 };

/** One run in which every text that a stranger may have written is this one. */
function hostileRun(text: string): Record<string, unknown> {
  const verdict = { word: 'REGRESSED', title: text, paragraph: text, lines: [text], newlyFailing: [text] };
  const suiteRun = {
    ...{ id: 's', suiteName: text, suitePath: text, cellKey: text, variant: 'HEAD', purpose: 'FIRST' },
    ...{ status: 'COMPLETED', failureReason: text, passRate: 0, ...counts },
    verdict: { ...verdict, flagged: [text], baselineLabel: text },
  };
  const run = {
    ...{ id: runId, status: 'COMPLETED', event: 'pull_request', repository: 'acme/shop', host: 'github.com' },
    ...{ headSha: null, baseSha: null, pullRequest: null, ref: text, createdBy: text, triggeredBy: 'CI' },
    ...{ createdAt: '2026-01-01T00:00:00Z', completedAt: '2026-01-01T00:00:00Z', verdictWord: 'REGRESSED' },
    ...{ conclusion: 'FAILURE', ...counts, poolsWithoutRunners: [], suiteRuns: [suiteRun] },
  };
  const pageInfo = { hasNextPage: false, endCursor: null };
  const edges = [{ node: { id: 't', caseName: text, repetition: 1, status: 'FAILED' } }];
  const testRun = {
    ...{ status: 'FAILED', errorKind: null, errorMessage: text, skipReason: null, testInput: text, response: text },
    ...{ attempt: 1, executionTimeMs: 1, model: text, toolsMatched: false },
    checks: [{ type: text, status: 'fail' }],
    toolCalls: [{ name: text, args: { [text]: text }, result: text, error: text }],
    metricResults: [{ metricName: text, score: 0, threshold: 1, passed: false, error: text, reasoning: text }],
    outcomes: { passed: false, error: null, criteria: [{ requirement: text, status: 'failed', reasoning: text }] },
    transcript: ['user', 'agent', 'user'].map((role) => ({ role, text })),
  };
  const failures = [{ caseName: text, repetition: 1, summary: text, reasons: [text] }];
  return { run, suiteRun: { testRuns: { edges, pageInfo }, failures }, testRun };
}

/** The page with everything unfolded. */
async function pageOf(text: string): Promise<PaperPage> {
  const data = hostileRun(text);
  const page = openDashboard(() => ({ body: { data } }), { token: 'pmk_fresh', path: `/runs/${runId}` });
  await waitUntil(
    () => {
      page.unfold();
      return page.at('content').textContent.includes('Whole conversation');
    },
    { what: 'the test run is shown' },
  );
  page.unfold();
  return page;
}

describe('a run of which every text attacks whoever reads it', () => {
  const attacks = [
    '</pre><script>alert(1)</script><img src=x onerror=alert(1)>',
    'javascript:alert(1) https://evil.example/x',
    '\u001B[2J\u001B]8;;https://evil.example\u0007click\u001B]8;;\u0007 \u{202E}dessap\u{2066}',
    'zero\u{200B}width \u{E0041} \u0000 \u{D800} a\rb',
    `ghp_${'a1'.repeat(18)} sk-${'b2'.repeat(12)}`,
    `${'A'.repeat(200_000)}`,
    '\n'.repeat(100_000),
  ];

  test('O7 O8 makes the elements and the addresses of an ordinary one, and no others', async () => {
    const shape = (page: PaperPage) =>
      page.at('content').all.map(({ tagName, attributes }) => `${tagName} ${[...attributes.keys()].join(' ')}`);
    const links = (page: PaperPage) =>
      page.at('content').all.flatMap((one) => ('href' in one && typeof one.href === 'string' ? [one.href] : []));
    const ordinary = await pageOf('x');
    for (const attack of attacks) {
      const page = await pageOf(attack);
      expect(shape(page)).toEqual(shape(ordinary));
      expect(links(page)).toEqual(links(ordinary));
    }
  });

  test('O6 O12 nothing of it is obeyed, hidden or a key', async () => {
    for (const attack of attacks) {
      const page = await pageOf(attack);
      const text = `${page.title()}${page.at('content').textContent}`;
      expect(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}]/u.exec(text)?.[0]).toBeUndefined();
      expect(text).not.toMatch(/ghp_|sk-b2/);
    }
    expect((await pageOf(attacks[0] ?? '')).at('content').textContent).toContain('<script>alert(1)</script>');
  });
});

test('O12 the page masks the keys that all other surfaces mask', () => {
  const keys = [
    `github_pat_${'a'.repeat(30)}`,
    ...['ghp', 'gho', 'ghu', 'ghs', 'ghr'].map((kind) => `${kind}_${'b1'.repeat(18)}`),
    `sk-${'c'.repeat(20)}`,
    `pmk_${'d'.repeat(20)} pmr_${'e'.repeat(20)}`,
    `AKIA${'F'.repeat(16)}`,
    `AIza${'g'.repeat(35)}`,
    `xoxb-${'1'.repeat(12)}`,
    `eyJ${'h'.repeat(12)}.${'i'.repeat(12)}.${'j'.repeat(12)}`,
    '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----',
    'an ordinary sk-word and AKIA short',
  ];
  for (const key of keys) expect(redact(`before ${key} after`)).toBe(redactText(`before ${key} after`));
  expect(redact(keys.slice(0, -1).join(' ')).replaceAll(/\[redacted\]|\s/g, '')).toBe('');
});
