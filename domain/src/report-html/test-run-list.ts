import type { TestResult } from '@proofmark/contracts/test-report';
import { reportedReasons } from '../report/failure-reasons.ts';
import { formatMs, formatPrice, formatTokens } from '../text/format-numbers.ts';
import { type State, stateWords } from '../text/state-words.ts';
import { type Html, html, nameText } from './html-text.ts';
import { type KeptTestRun, type ReportWithFacts, stateOf, type TestRunFacts } from './page-shapes.ts';
import { testRunBody } from './test-run-body.ts';

/** What a page may hold: beyond it browsers get slow, on phones first. */
export interface PageLimits {
  /** Characters of markup for everything that unfolds. */
  bodyUnits: number;
  lines: number;
}

/** One test run of a page before it is decided whether its body is shown. */
interface Entry {
  reportIndex: number;
  position: number;
  result: TestResult;
  state: State;
}

export interface TestRunLists {
  /** The items of each report, in its order. */
  items: Html[][];
  total: number;
  withBody: number;
  /** Test runs that have not even a line. */
  unlisted: number;
  /** Where each test run that has a line can be read. A link inside of what unfolds unfolds it. */
  anchors: Map<TestResult, string>;
}

/**
 * The test runs of all reports. What did not pass has its body first, then what passed, both in the order of the suites,
 * until the page is full; all others have a line.
 */
export function testRunLists(reports: readonly ReportWithFacts[], { bodyUnits, lines }: PageLimits): TestRunLists {
  const entries = reports.flatMap(({ report }, reportIndex) =>
    report.results.map((result, position): Entry => ({ reportIndex, position, result, state: stateOf(result) })),
  );
  const urgent = [
    ...entries.filter(({ state }) => state !== 'passed'),
    ...entries.filter(({ state }) => state === 'passed'),
  ];
  const listed = new Set(urgent.slice(0, lines));
  const bodies = new Map<Entry, Html>();
  let units = 0;
  for (const entry of listed) {
    if (units >= bodyUnits) break;
    const body = bodyOf(entry, reports[entry.reportIndex]);
    units += body.markup.length;
    bodies.set(entry, body);
  }
  const items: Html[][] = reports.map(() => []);
  for (const entry of entries) {
    if (listed.has(entry)) items[entry.reportIndex]?.push(item(entry, reports[entry.reportIndex], bodies.get(entry)));
  }
  const anchors = new Map(
    [...listed].map((entry) => [entry.result, bodies.has(entry) ? bodyId(entry) : lineId(entry)]),
  );
  return { items, total: entries.length, withBody: bodies.size, unlisted: entries.length - listed.size, anchors };
}

function bodyOf({ result, position }: Entry, report: ReportWithFacts | undefined): Html {
  const kept: KeptTestRun | null = report?.kept?.get(position) ?? null;
  const named = report?.facts?.get(position)?.named ?? [];
  return testRunBody(result, { reasons: report?.reasons?.get(position) ?? [], kept, named });
}

const lineId = ({ reportIndex, position }: Entry): string => `t${reportIndex + 1}-${position + 1}`;
const bodyId = (entry: Entry): string => `${lineId(entry)}-all`;

function item(entry: Entry, report: ReportWithFacts | undefined, body: Html | undefined): Html {
  const { result, state, position } = entry;
  const facts = report?.facts?.get(position);
  const line = html`<span class="state">${stateWords[state]}</span><h4>${result.test_name === null ? '(unnamed)' : nameText(result.test_name)}${facts === undefined || facts.repetition === 1 ? null : html` <span class="meta">#${facts.repetition}</span>`}</h4><span class="took">${tookOf(result, facts)}</span>${firstReason(result, report?.reasons?.get(position))}`;
  const id = lineId(entry);
  return body === undefined
    ? html`<li class="run ${state}" id="${id}"><div class="line">${line}</div></li>`
    : html`<li class="run ${state}" id="${id}"><details><summary class="line">${line}</summary><div class="body" id="${bodyId(entry)}">${body}</div></details></li>`;
}

function tookOf({ execution_time_ms }: TestResult, facts: TestRunFacts | undefined): string {
  const parts = [
    formatMs(facts?.latencyMs ?? execution_time_ms),
    facts?.tokens == null ? '' : formatTokens(facts.tokens),
    facts?.costUsd == null ? '' : formatPrice(facts.costUsd),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function firstReason(result: TestResult, reasons: readonly string[] | undefined): Html | null {
  const told = reasons?.[0] ?? reportedReasons(result)[0];
  return result.passed || told === undefined ? null : html`<span class="why">${nameText(told, 160)}</span>`;
}
