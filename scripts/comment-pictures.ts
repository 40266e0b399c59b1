// `npm run pictures` makes the pictures of docs/github.md anew: the comment in ten situations, light and dark. It needs a Chromium.
import { join } from 'node:path';
import { commentBody, resolvedBody } from '../domain/src/feedback/comment.ts';
import { describeChange } from '../domain/src/feedback/describe-change.ts';
import { outcomeOf } from '../domain/src/feedback/outcome.ts';
import { type CellReport, type RunReport, unaffectedSuite } from '../domain/src/feedback/run-report.ts';
import { sampleCell, sampleRunReport, sampleSuiteReport } from '../domain/src/feedback/sample-run-report.fixture.ts';
import { decideVerdict, type Trial } from '../domain/src/verdict/decide-verdict.ts';
import { settings } from '../domain/src/verdict/sample-trials.fixture.ts';
import { findChromium } from '../tests/stack/chromium.ts';
import { commentPage } from './pictures/comment-page.ts';
import { takePicture } from './pictures/take-picture.ts';

const names = ['Business hours', 'Refund time', 'Delivery', 'Warranty', 'Pick-up', 'Repairs', 'Voucher', 'Complaint'];
const all = (passed: number, more: Record<string, number> = {}) => ({
  ...Object.fromEntries(names.map((name) => [name, passed])),
  ...more,
});

const trials = (head: Record<string, number>, of: number): Trial[] =>
  Object.entries(head).flatMap(([caseName, passed]) =>
    Array.from({ length: of }, (_, at): Trial => {
      return { caseName, comparabilityKey: caseName, status: at < passed ? 'passed' : 'failed', errorKind: null };
    }),
  );

/** A cell with a long history of the base, so that its cases decide. */
function cell(head: Record<string, number>, rest: Partial<CellReport> = {}, repetitions = 3): CellReport {
  const base = trials(all(20), 20);
  const verdict = decideVerdict({ base, head: trials(head, repetitions), settings: settings() });
  return { ...sampleCell(all(3), head), verdict, outcome: outcomeOf(verdict), conclusion: verdict.conclusion, ...rest };
}

const prompt = (hours: string) =>
  `name: Support desk\ninstructions: |\n  Answer politely.\n  ${hours}\n  Refunds take 14 days.\n`;
const changes = [
  describeChange({
    path: 'agents/support.agent.yaml',
    base: prompt('The shop is open Monday to Friday from 9 to 17.'),
    head: prompt('The shop is open on weekdays.'),
  }),
];

const broke = { 'Business hours': 0, 'Refund time': 0 };
const judged = cell(all(3, broke));
const brokenCell: CellReport = {
  ...judged,
  cases: judged.cases.map((one) => {
    if (one.caseName === 'Refund time') {
      const judgeReason = 'The answer promises the refund “soon”, while the reference says 14 days.';
      return {
        ...one,
        firstFailure: `llm_judge: ${judgeReason}`,
        judgeReason,
        headAnswer: 'You get it back soon!',
        baseAnswer: 'Refunds take 14 days.',
      };
    }
    return one.caseName === 'Business hours' ? { ...one, toolCalls: { base: ['get_hours'], head: [] } } : one;
  }),
};

const failedCalls = decideVerdict({
  base: trials(all(20), 20),
  head: names.flatMap((caseName) =>
    [1, 2, 3].map((): Trial => {
      return {
        caseName,
        comparabilityKey: caseName,
        status: 'error',
        errorKind: 'agent',
        errorMessage: 'The provider at api.example.com answered 401 Incorrect API key provided',
      };
    }),
  ),
  settings: settings(),
});
const erring: CellReport = {
  ...sampleCell(all(3), all(0)),
  verdict: failedCalls,
  outcome: outcomeOf(failedCalls),
  conclusion: failedCalls.conclusion,
  cases: [],
};

const desk = (...cells: CellReport[]) => sampleSuiteReport('Support desk', ...cells);
const key = (model: string) => ({ cellKey: `AIConfiguration=${model},Temperature=0` });
const garden = sampleSuiteReport('Garden', cell(all(6), {}, 6));

const situations: Record<string, { report: RunReport; opened?: number; resolved?: boolean }> = {
  'cases-broke': {
    report: sampleRunReport([desk(brokenCell)], { changes, baseLabel: 'merge base, 2 days old' }),
    opened: 3,
  },
  'pass-rate-fell': { report: sampleRunReport([desk(cell(all(2, { Voucher: 3, Complaint: 3 })))], { changes }) },
  suspected: { report: sampleRunReport([desk(cell(all(3, { 'Refund time': 2 })))], { changes }) },
  'no-baseline': {
    report: sampleRunReport([desk(sampleCell(null, all(3, broke)))], { baseSha: null, baseLabel: null }),
    opened: 1,
  },
  'provider-errors': { report: sampleRunReport([desk(erring)]) },
  'invalid-definitions': {
    report: sampleRunReport([], {
      baseSha: null,
      baseLabel: null,
      invalid: [
        {
          file: 'evals/support.suite.yaml',
          line: 14,
          message: 'unknown key `expected_behaviour`, did you mean `expected_behavior`?',
        },
        {
          file: 'evals/support.suite.yaml',
          line: 31,
          message: 'a case of the name `Refund time` stands in line 22 already',
        },
      ],
    }),
  },
  matrix: {
    report: sampleRunReport([
      desk(
        cell(all(3), key('gpt-4o')),
        cell(all(3), key('gpt-4o-mini')),
        { ...brokenCell, ...key('llama-3.1') },
        cell(all(3), key('mistral')),
      ),
    ]),
    opened: 4,
  },
  resolved: { report: sampleRunReport([desk(cell(all(6), {}, 6))]), resolved: true, opened: 1 },
  'many-suites': {
    report: sampleRunReport([
      desk(brokenCell),
      garden,
      ...Array.from({ length: 57 }, (_, at) => unaffectedSuite(`Suite ${at + 1}`, `evals/s${at}.suite.yaml`)),
    ]),
  },
  'cases-removed': {
    report: sampleRunReport(
      [desk(cell(Object.fromEntries(Object.entries(all(3)).filter(([name]) => name !== 'Refund time'))))],
      {
        removedSuites: [{ suiteName: 'Garden', last: { passed: 9, total: 12 } }],
        changedGates: ['Support desk'],
      },
    ),
    opened: 2,
  },
};

/** More than any of them needs. */
const height = 1_500;

const chromium = findChromium();
for (const [name, { report, opened = 0, resolved = false }] of Object.entries(situations)) {
  const body = resolved ? resolvedBody(report, 'pr') : commentBody(report, 'pr');
  const page = commentPage(body, opened);
  for (const isDark of [false, true]) {
    const path = join(import.meta.dirname, '../docs/pictures', `comment-${name}${isDark ? '-dark' : ''}.png`);
    await takePicture(chromium, { page, path, width: 900, height, isDark, isTrimmed: true });
  }
}
