import {
  type CaseOutcome,
  type CheckResult,
  type ConversationFacts,
  checkName,
  type MetricResult,
  type OutcomesVerdict,
} from '@proofmark/contracts/case-outcome';
import type { ErrorKind } from '@proofmark/contracts/error-kind';
import type { TestResult } from '@proofmark/contracts/test-report';
import { twoDecimals } from '../text/format-numbers.ts';
import { cutLine } from '../text/visible-text.ts';

const blame: Record<ErrorKind, string> = {
  agent: 'agent',
  timeout: 'agent',
  limit: 'agent',
  variables: 'configuration',
  files: 'configuration',
  simulator: 'measuring',
  mock: 'measuring',
  judge: 'measuring',
  lost: 'infrastructure',
};

const mostShown = 10;
const longestLine = 200;

/** What of an outcome says why it did not pass. */
export type FailedOutcome = Pick<
  CaseOutcome,
  'status' | 'errorKind' | 'errorMessage' | 'checks' | 'metrics' | 'outcomes' | 'mocks' | 'conversation'
> & { tools: Pick<CaseOutcome['tools'], 'matched' | 'problems'> };

/**
 * Why a test run did not pass, the most telling sentence first; empty for one that passed. The sentences hold text of
 * people and models: every surface that shows them has to escape them.
 */
export function failureReasons(outcome: FailedOutcome): string[] {
  if (outcome.status === 'passed') return [];
  const unmatched = (outcome.mocks?.unmatchedCalls ?? []).map((tool) => `mocks: a call of ${tool} had no mock`);
  const error = outcome.status === 'error' ? [errorReason(outcome)] : [];
  return [
    ...error,
    ...unmatched,
    ...toolReasons(outcome.tools),
    ...outcome.checks.filter(({ status }) => status === 'fail').map(checkReason),
    ...outcome.checks.filter(({ status }) => status === 'error').map(checkReason),
    ...outcomeReasons(outcome.outcomes),
    ...outcome.metrics.filter((metric) => !metric.passed).map(metricReason),
    ...unusedReasons(outcome.mocks),
    ...(outcome.conversation === undefined ? [] : describeSimulation(outcome.conversation)),
  ];
}

/** The first of the reasons on one line; null for a test run that passed. */
export function describeFailure(outcome: FailedOutcome): string | null {
  if (outcome.status === 'passed') return null;
  return cutLine(failureReasons(outcome)[0] ?? 'failed', longestLine);
}

const toolReasons = ({ matched, problems }: FailedOutcome['tools']): string[] =>
  matched === false && problems.length === 0 ? [notAsExpected] : problems.map((problem) => `tools: ${problem}`);

const notAsExpected = 'tools: not called as expected';

/** Where a call lacked a mock, it may be that those nobody used were meant for it. */
function unusedReasons(mocks: CaseOutcome['mocks']): string[] {
  if (mocks === undefined || mocks.unmatchedCalls.length === 0 || mocks.unusedEntries.length === 0) return [];
  const shown = mocks.unusedEntries.slice(0, mostShown).map((entry) => `mocks.${entry}`);
  const more = mocks.unusedEntries.length - shown.length;
  return [`mocks: not used: ${[...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')}`];
}

function errorReason({ errorKind, errorMessage }: FailedOutcome): string {
  const side = errorKind === null ? 'measuring' : blame[errorKind];
  return `${side} error: ${errorMessage ?? errorKind ?? 'unknown'}`;
}

function checkReason(check: CheckResult): string {
  const { status, details, error } = check;
  return `${checkName(check)}: ${status === 'error' ? `error: ${error ?? 'unknown'}` : detailText(details)}`;
}

function detailText({
  missingPhrases = [],
  matchedPhrases = [],
  similarityScore,
  threshold,
  reasoning,
}: CheckResult['details']): string {
  if (missingPhrases.length > 0) return `${quoted(missingPhrases)} missing`;
  if (similarityScore !== undefined && similarityScore !== null && threshold !== undefined) {
    return `${twoDecimals(similarityScore)} is below ${twoDecimals(threshold)}`;
  }
  if (reasoning !== undefined && reasoning !== '') return reasoning;
  return matchedPhrases.length > 0 ? `${quoted(matchedPhrases)} found` : 'failed';
}

const quoted = (phrases: readonly string[]): string => phrases.map((phrase) => `"${phrase}"`).join(', ');

function outcomeReasons(outcomes: OutcomesVerdict | null): string[] {
  if (outcomes === null || outcomes.passed === true) return [];
  const unmet = outcomes.criteria.filter(({ status }) => status !== 'passed');
  const reasons = unmet.map(({ id, status, reasoning }) => `outcome ${id}: ${reasoning || status}`);
  return reasons.length > 0 ? reasons : [`expected_outcomes: error: ${outcomes.error ?? 'unknown'}`];
}

function metricReason({ metric_name, score, threshold, error }: MetricResult): string {
  if (score === null) return `${metric_name}: error: ${error ?? 'unknown'}`;
  if (threshold === null) return `${metric_name}: ${twoDecimals(score)} did not pass`;
  return `${metric_name}: ${twoDecimals(score)} is below ${twoDecimals(threshold)}`;
}

/** The same of a result in a report, which has no more than errors, scores and whether the tools matched. */
export function reportedReasons({ passed, errors, metric_results, tools_matched }: TestResult): string[] {
  if (passed) return [];
  const tools = tools_matched === false ? [notAsExpected] : [];
  const scored = metric_results.filter((metric) => !metric.passed && metric.score !== null);
  return [...errors, ...tools, ...scored.map(metricReason)];
}

/** What a judge wrote, where it is the first to say that the test run failed; a model's text. */
export function judgeReason({
  tools,
  checks,
  outcomes,
}: Pick<CaseOutcome, 'tools' | 'checks' | 'outcomes'>): string | null {
  if (tools.matched === false) return null;
  const failed = checks.find(({ status }) => status === 'fail');
  if (failed !== undefined) return failed.details.reasoning ?? null;
  return outcomes?.criteria.find(({ status }) => status === 'failed')?.reasoning || null;
}

/**
 * What a person has to know of how a simulated user was played: tries that were thrown away and paid for, and faults that
 * a review has found, with what would have been right. Empty for a conversation that went as it should.
 */
export function describeSimulation({ discardedTries, review = [] }: ConversationFacts): string[] {
  const times = discardedTries.length === 1 ? 'once' : `${discardedTries.length} times`;
  const over = discardedTries.length === 0 ? [] : [`started over ${times}: ${discardedTries.join('; ')}`];
  const faults = review.map(
    ({ message, kind, isCritical, explanation, correctBehavior }) =>
      `message ${message}, ${kind.replaceAll('_', ' ')}${isCritical ? ' (critical)' : ''}: ${explanation} Right would be: ${correctBehavior}`,
  );
  return [...over, ...faults].map((note) => `simulated user: ${note}`);
}
