import type { AlertFacts, AlertKind } from '@proofmark/contracts/alert-message';
import { formatPoints, formatRate, formatUtc, plural } from '../text/format-numbers.ts';
import { cutLine, visibleText } from '../text/visible-text.ts';

export type AlertSubject = {
  readonly kind: AlertKind;
  readonly suite: string | null;
  readonly cellKey: string;
  readonly facts: AlertFacts;
};

const longestLine = 300;
const inOneLine = (text: string): string => cutLine(visibleText(text).replaceAll(/\s+/g, ' '), longestLine);

/** The sentences of an alert: a title, and lines that say more. Names and reasons come from repositories, so each is one line. */
export function describeAlert({ kind, suite, cellKey, facts }: AlertSubject): { title: string; lines: string[] } {
  const name = inOneLine(`${suite ?? 'Proofmark'}${cellKey === '' ? '' : ` (${cellKey})`}`);
  const lines = linesOf(kind, facts).map(inOneLine);
  return { title: `${name}: ${titles[kind](facts)}`, lines };
}

const titles: Readonly<Record<AlertKind, (facts: AlertFacts) => string>> = {
  regression: ({ passRate, dropPoints, caseCount = 0 }) =>
    dropPoints != null && dropPoints > 0
      ? `pass rate fell by ${formatPoints(dropPoints).replace('+', '')} to ${formatRate(passRate ?? null)}`
      : caseCount === 0
        ? 'it got worse'
        : `${plural(caseCount, 'case')} began to fail`,
  newly_flaky: ({ caseCount = 0 }) => `${plural(caseCount, 'case')} became flaky`,
  budget: () => 'the budget was reached',
  nothing_executed: () => 'nothing was executed',
  recovered: ({ passRate }) =>
    passRate == null ? 'it works again' : `it works again, pass rate ${formatRate(passRate)}`,
  test: () => 'a test of this channel',
};

function linesOf(kind: AlertKind, facts: AlertFacts): string[] {
  switch (kind) {
    case 'regression':
      return casesLine('Began to fail', facts);
    case 'newly_flaky':
      return [...casesLine('Flaky now', facts), 'Until they are stable again, they fail no pull request alone.'];
    case 'budget':
      return [`${plural(facts.testRuns ?? 0, 'test run')} left out, because the money or the tokens were spent.`];
    case 'nothing_executed':
      return facts.reason == null ? [] : [facts.reason];
    case 'recovered':
      return facts.since === undefined ? [] : [`What was told at ${formatUtc(facts.since)} is over.`];
    case 'test':
      return ['Somebody asked for it. Nothing is wrong.'];
  }
}

function casesLine(label: string, { cases = [], caseCount = cases.length }: AlertFacts): string[] {
  if (cases.length === 0) return [];
  const rest = caseCount > cases.length ? ` and ${caseCount - cases.length} more` : '';
  return [`${label}: ${cases.join(', ')}${rest}`];
}
