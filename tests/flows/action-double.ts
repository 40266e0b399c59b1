import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../stack/listen.ts';

type GraphqlRequest = { operation: string; variables: Record<string, unknown>; authorization: string };
type Answer = { data: unknown } | { errors: unknown[]; status?: number };
export type Answers = Record<string, (request: GraphqlRequest, nth: number) => Answer | 'hang up'>;

/** A coordinator and an issuer of OIDC tokens that say what a test wants, and remember what they were asked. */
export type CoordinatorDouble = AsyncDisposable & {
  url: string;
  requests: GraphqlRequest[];
  /** Audiences for which an OIDC token was issued, in order. */
  audiences: string[];
  idToken: { ACTIONS_ID_TOKEN_REQUEST_URL: string; ACTIONS_ID_TOKEN_REQUEST_TOKEN: string };
};

export const runId = '00000000-0000-4000-8000-00000000000a';

export async function startDouble(answers: Answers): Promise<CoordinatorDouble> {
  const requests: GraphqlRequest[] = [];
  const audiences: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://double');
    if (url.pathname === '/oidc') {
      audiences.push(url.searchParams.get('audience') ?? '');
      return void response.end(JSON.stringify({ value: `oidc-token-${audiences.length}+/=` }));
    }
    void readBody(request).then((body) => {
      const { operationName: operation, variables } = JSON.parse(body);
      const nth = requests.filter((one) => one.operation === operation).length;
      const asked = { operation, variables, authorization: request.headers.authorization ?? '' };
      requests.push(asked);
      send(response, answers[operation]?.(asked, nth) ?? { errors: [{ message: `no answer for ${operation}` }] });
    });
  });
  const { origin, close } = await listen(server);
  return {
    url: origin,
    requests,
    audiences,
    idToken: {
      ACTIONS_ID_TOKEN_REQUEST_URL: `${origin}/oidc?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request-token',
    },
    [Symbol.asyncDispose]: close,
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

function send(response: ServerResponse, answer: Answer | 'hang up'): void {
  if (answer === 'hang up') return void response.destroy();
  const status = 'status' in answer ? (answer.status ?? 200) : 200;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

const verdict = {
  word: 'regressed',
  reason: 'suite',
  conclusion: 'failure',
  title: 'Pass rate fell from 94.0% to 82.0%',
  paragraph: ['It got worse.'],
  lines: [],
  basePassRate: 94,
  headPassRate: 82,
  diffPoints: -12,
  ciLoPoints: -24.1,
  ciHiPoints: -0.9,
  p: 0.01,
  midp: 0.008,
  flagged: ['Business hours'],
  alert: { fired: true, dropPoints: 12, newlyFailing: ['Business hours'] },
  belowMinimum: false,
  cases: [
    {
      caseName: 'Business hours',
      base: { planned: 3, passed: 3, failed: 0, errored: 0, invalid: 0 },
      head: { planned: 3, passed: 0, failed: 3, errored: 0, invalid: 0 },
      notComparable: false,
      quarantined: false,
    },
  ],
  settings: {
    gate: {
      decide_by: 'statistics',
      fail_on: ['regressed'],
      alpha: 0.05,
      strict: false,
      min_effect_percent: 2,
      screen: 0.2,
      fdr: 0.05,
      min_coverage_percent: 80,
      history_trials: 20,
      history_max_age_days: 14,
      concurrent_base_trials: 1,
      confirm: 'manual',
      stop: 'fixed',
      cluster_by: 'none',
      reducer: 'majority',
      quarantine: true,
      alert_on_newly_failing: true,
    },
    alertOnRegression: true,
    alertThresholdPercent: 10,
    onError: 'block',
  },
};

const feedback = {
  outcome: 'regressed',
  headline: 'Regressed by 12.0 points',
  markdown: '### Proofmark: Regressed by 12.0 points\n',
  text: 'Proofmark: Regressed by 12.0 points\n::error::never obeyed\nSupport agent: worse',
  costUsd: 0.42,
  suitesTotal: 1,
  suitesAffected: 1,
  annotations: [
    {
      path: 'evals/support.suite.yaml',
      line: 4,
      level: 'failure',
      title: 'Business hours broke',
      message: 'llm_judge: the judge wrote ::warning::this',
    },
  ],
};

const check = {
  name: 'proofmark',
  externalId: `${runId}:0`,
  onlyAfterRed: false,
  summary: 'Worse.',
  text: '',
  annotations: [],
};
const openCheck = { ...check, conclusion: null, title: '0/50 test runs' };
const endedFeedback = {
  checks: [{ ...check, conclusion: 'FAILURE', title: 'Regressed by 12.0 points' }],
  wantedComment: {
    key: 'pr',
    body: '<!-- proofmark:v1 key=pr -->',
    resolvedBody: null,
    createsComment: true,
    hides: false,
  },
};

/** A coordinator that takes the run, works through it in three looks and finds a regression. */
export function regressingRun({ reporting = 'APP' }: { reporting?: 'APP' | 'NONE' } = {}): Answers {
  const counts = { totalCases: 50, totalSuiteRuns: 1, poolsWithoutRunners: [] };
  const looks = [
    { ...counts, status: 'PENDING', openCases: 50, finishedSuiteRuns: 0 },
    { ...counts, status: 'RUNNING', openCases: 16, finishedSuiteRuns: 0 },
    { ...counts, status: 'COMPLETED', openCases: 0, finishedSuiteRuns: 1 },
  ];
  return {
    ExchangeToken: () => {
      const expiresAt = new Date(Date.now() + 900_000).toISOString();
      return { data: { exchangeToken: { token: 'pmr_run-token+/=', expiresAt, reporting, maxBodyBytes: 8_388_608 } } };
    },
    StartRun: () => {
      const started = { __typename: 'StartRunSuccess', created: true, dispatch: 'IMMEDIATE', reporting };
      return { data: { startRun: { ...started, run: { id: runId }, warnings: [] } } };
    },
    RunProgress: (_request, nth) => ({ data: { run: looks[Math.min(nth, 2)] } }),
    RunReport: () => ({
      data: {
        run: {
          id: runId,
          status: 'COMPLETED',
          conclusion: 'FAILURE',
          verdictWord: 'REGRESSED',
          feedback,
          suiteRuns: [
            {
              ...{ id: runId, suiteName: 'Support', suitePath: null, cellKey: '', variant: 'HEAD', purpose: 'FIRST' },
              ...{ passedCases: 82, failedCases: 18, erroredCases: 0, verdict: { detail: verdict } },
            },
          ],
        },
      },
    }),
    RunFeedback: (_request, nth) => ({
      data: { run: { feedback: nth === 0 ? { checks: [openCheck], wantedComment: null } : endedFeedback } },
    }),
    SuiteRunReport: () => ({ data: { suiteRun: { report: { summary: {} } } } }),
    CancelRun: () => ({ data: { cancelRun: { __typename: 'CancelRunSuccess', changed: true } } }),
  };
}
