import type { TestResult } from '@proofmark/contracts/test-report';
import { placeOf, type ReportPlace } from '../report/build-test-report.ts';
import { reportedReasons } from '../report/failure-reasons.ts';
import { plural } from '../text/format-numbers.ts';
import { rateBar } from './charts.ts';
import { type Html, html, nameText, nothing } from './html-text.ts';
import { type ReportWithFacts, stateOf } from './page-shapes.ts';

/** A case that did not pass every time, over all cells in which it ran. */
interface BrokenCase {
  name: string;
  passed: number;
  executed: number;
  /** Its first test run that did not pass tells why. */
  example: TestResult;
  reasons: readonly string[];
  /** In which it was lost. */
  cells: string[];
  /** It was lost in every cell in which it ran, and there are several. */
  isEverywhere: boolean;
  /** It passed on the base. */
  isNew: boolean;
  place: ReportPlace;
}

interface Executed {
  report: ReportWithFacts;
  result: TestResult;
  position: number;
}

const mostCases = 25;

export interface BrokenPage {
  judged: readonly ReportWithFacts[];
  bases: readonly ReportWithFacts[];
  /** Where a test run can be read in full; absent for those that are only counted. */
  anchors: ReadonlyMap<TestResult, string>;
}

/** What a reader came for: the cases that broke, why, and what the agent said. One sentence when nothing did. */
export function brokenSection({ judged, bases, anchors }: BrokenPage): Html {
  const groups = groupCases(judged);
  const newly = new Map(judged.map((report) => [report, new Set(report.verdict?.alert.newlyFailing)]));
  const broken = groups.flatMap((group) => brokenCase(group, newly)).toSorted(worstFirst);
  if (broken.length === 0) {
    if (groups.length === 0) return nothing;
    return html`<p class="note">${groups.length === 1 ? 'The only case' : `All ${groups.length} cases`} passed every time.</p>`;
  }
  const suites = new Set(judged.map(({ report }) => placeOf(report).suite)).size;
  const items = broken.slice(0, mostCases).map((one) =>
    item(one, {
      isAlone: suites === 1,
      anchor: anchors.get(one.example),
      baseAnswer: answerOfBase(bases, one),
    }),
  );
  const whole = groups.length - broken.length;
  const rest = [
    broken.length > items.length ? `${broken.length - items.length} more cases did not pass every time.` : '',
    whole > 0 ? `${plural(whole, 'case')} passed every time.` : '',
  ].filter((part) => part !== '');
  return html`<section aria-labelledby="broken"><h2 id="broken">What did not pass</h2><ol class="list">${items}</ol>${rest.length === 0 ? null : html`<p class="note">${rest.join(' ')}</p>`}</section>`;
}

function groupCases(reports: readonly ReportWithFacts[]): Executed[][] {
  const all = reports.flatMap((report) =>
    report.report.results.map((result, position): Executed => ({ report, result, position })),
  );
  const bySuite = Map.groupBy(all, ({ report }) => placeOf(report.report).suite);
  return [...bySuite.values()].flatMap((ofSuite) => [
    ...Map.groupBy(ofSuite, ({ result }) => caseName(result)).values(),
  ]);
}

const caseName = ({ test_name, test_input }: TestResult): string => test_name ?? test_input;

function brokenCase(
  testRuns: readonly Executed[],
  newly: ReadonlyMap<ReportWithFacts, ReadonlySet<string>>,
): BrokenCase[] {
  const lost = testRuns.filter(({ result }) => !result.passed);
  // A wrong answer says more than a test run that never came to one.
  const example = lost.find(({ result }) => stateOf(result) === 'failed') ?? lost[0];
  if (example === undefined) return [];
  const { report, result, position } = example;
  const name = caseName(result);
  const cellsOf = (some: readonly Executed[]): string[] =>
    [...new Set(some.map((one) => placeOf(one.report.report).cell))].filter((cell) => cell !== '');
  const cells = cellsOf(lost);
  return [
    {
      ...{ name, example: result, place: placeOf(report.report) },
      passed: testRuns.length - lost.length,
      executed: testRuns.length,
      reasons: report.reasons?.get(position) ?? reportedReasons(result),
      cells,
      isEverywhere: cells.length > 1 && cells.length === cellsOf(testRuns).length,
      isNew: testRuns.some((one) => newly.get(one.report)?.has(name) === true),
    },
  ];
}

/** What the base said, preferably where the case passed; null when it did not run here or did not answer. */
function answerOfBase(bases: readonly ReportWithFacts[], { name, place: { suite, cell } }: BrokenCase): string | null {
  const found = bases
    .filter(({ report }) => placeOf(report).suite === suite && placeOf(report).cell === cell)
    .flatMap(({ report }) => report.results.filter((result) => caseName(result) === name));
  return (found.find(({ passed }) => passed) ?? found[0])?.agent_response ?? null;
}

const worstFirst = (a: BrokenCase, b: BrokenCase): number =>
  Number(b.isNew) - Number(a.isNew) || a.passed / a.executed - b.passed / b.executed;

const mostReasons = 3;
const mostCells = 6;

function cellWords({ cells, isEverywhere }: BrokenCase): string[] {
  if (isEverywhere) return [`in all ${cells.length} cells`];
  const more = cells.length - mostCells;
  return [...cells.slice(0, mostCells), ...(more > 0 ? [`and ${plural(more, 'more cell')}`] : [])];
}

interface Shown {
  /** There is one suite: it needs no name. */
  isAlone: boolean;
  anchor: string | undefined;
  baseAnswer: string | null;
}

function item(one: BrokenCase, { isAlone, anchor, baseAnswer }: Shown): Html {
  const { example, reasons } = one;
  const state = stateOf(example);
  const title = anchor === undefined ? nameText(one.name) : html`<a href="#${anchor}">${nameText(one.name)}</a>`;
  const place = [...(isAlone ? [] : [one.place.suite]), ...cellWords(one)];
  const rest = reasons.length - mostReasons;
  const why = reasons
    .slice(0, mostReasons)
    .map((reason, index) => html`${index === 0 ? null : html`<br>`}${nameText(reason, 300)}`);
  const said = example.agent_response;
  return html`<li class="broken ${state}"><div class="line"><h3>${title}${one.isNew ? html` <span class="tag failed">newly failing</span>` : null}${place.map((part) => html` <span class="meta">${nameText(part, 120)}</span>`)}</h3>${rateBar((one.passed / one.executed) * 100)}<span class="took">${one.passed} of ${one.executed} passed</span></div><dl>${fact('Why', html`${why}${rest > 0 ? html` <span class="meta">and ${plural(rest, 'more reason')}</span>` : null}`, 'why')}${fact('Asked', nameText(example.test_input, mostUnits))}${said === null ? null : fact('Said', nameText(said, mostUnits))}${baseAnswer === null || baseAnswer === said ? null : fact('Base said', nameText(baseAnswer, mostUnits))}</dl></li>`;
}

/** Enough for the sentence that matters; the whole answer stands in the test run. */
const mostUnits = 400;

const fact = (name: string, value: Html, tone = ''): Html =>
  html`<div><dt>${name}</dt><dd class="${tone}">${value}</dd></div>`;
