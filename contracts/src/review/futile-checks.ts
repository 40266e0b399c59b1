import type { Check, ExpectedBehavior, GroupCheck, LeafCheck, RegexCheck } from '../definitions/checks.ts';
import type { Metric } from '../definitions/metrics.ts';
import { compilePattern } from '../definitions/pattern.ts';
import type { TestCase } from '../definitions/test-case.ts';
import { type Finding, warning } from '../parse/finding.ts';

/** Warns about a case that an agent passes which answers nothing and calls nothing: it can never go red. */
export function idleAgentFindings(testCase: TestCase, metrics: readonly Metric[]): Finding[] {
  if (!isPassedByIdleAgent(testCase, metrics)) return [];
  const message = `an agent that does nothing would pass the case \`${testCase.name}\``;
  return [warning([], 'invalid_value', message, 'Add something that the agent must do or say.')];
}

function isPassedByIdleAgent(testCase: TestCase, metrics: readonly Metric[]): boolean {
  const { expected_tool_calls: tools, expected_behavior: behavior } = testCase;
  const hasOutcomes = Object.keys(testCase.expected_outcomes ?? {}).length > 0;
  if (hasOutcomes || testCase.evaluation_criteria_override !== null) return false;
  if (metrics.some(({ threshold }) => threshold !== 0)) return false;
  if (tools?.some(({ forbidden }) => !forbidden) === true) return false;
  const turns = testCase.turns ?? [];
  if (turns.some((turn) => turn.expected_tool_calls?.some(({ forbidden }) => !forbidden) === true)) return false;
  const blocks = [behavior, ...turns.map((turn) => turn.expected_behavior)].filter((one) => one !== null);
  return blocks.every(isPassedBySilence);
}

function isPassedBySilence(behavior: ExpectedBehavior): boolean {
  return behavior.mode === 'any' ? behavior.checks.some(passesSilence) : behavior.checks.every(passesSilence);
}

/** Whether a check passes on an empty response without a tool call. */
function passesSilence(check: Check): boolean {
  if (check.type === 'not') return !passesSilence(check.check);
  if (check.type === 'group') return groupPassesSilence(check);
  return leafPassesSilence(check);
}

function groupPassesSilence({ checks, mode = 'all', at_least, threshold, weights }: GroupCheck): boolean {
  const passing = checks.map(passesSilence);
  if (threshold !== undefined) {
    const weightOf = (index: number): number => weights?.[index] ?? 1;
    const all = checks.reduce((sum, _, index) => sum + weightOf(index), 0);
    return passing.reduce((sum, isPassed, index) => sum + (isPassed ? weightOf(index) : 0), 0) >= threshold * all;
  }
  const needed = at_least ?? (mode === 'any' ? 1 : checks.length);
  return passing.filter(Boolean).length >= needed;
}

function leafPassesSilence(check: LeafCheck): boolean {
  if (check.type === 'regex') return matchesNothing(check.pattern);
  if (check.type === 'semantic_similarity') return check.threshold === 0;
  if (check.type === 'length' || check.type === 'tool_count') return (check.min ?? 0) === 0;
  if (check.type === 'levenshtein') return check.value.length <= check.max_distance;
  return ['not_contains', 'latency', 'cost', 'valid_tool_calls'].includes(check.type);
}

function matchesNothing(source: string): boolean {
  const compiled = compilePattern(source);
  return compiled.ok && compiled.pattern.isIn('');
}

/** Warns where the case's own `ground_truth` would fail its checks: then the checks, not the agent, are wrong. */
export function ownAnswerFindings({ ground_truth: groundTruth, expected_behavior: behavior }: TestCase): Finding[] {
  // With a placeholder in either text the answer is only known when the case runs.
  if (groundTruth === null || behavior === null || behavior.mode === 'any' || groundTruth.includes('{{')) return [];
  return behavior.checks.flatMap((check, index) => {
    const reason = whyItFails(check, groundTruth);
    if (reason === undefined) return [];
    const path = ['expected_behavior', 'checks', index];
    const message = `the case's own \`ground_truth\` would fail this check: ${reason}`;
    return [warning(path, 'invalid_value', message)];
  });
}

/** What needs a model, a measurement or the whole of a structure is not foretold. */
function whyItFails(check: Check, answer: string): string | undefined {
  if (check.type === 'contains_phrases')
    return named(
      'does not contain',
      firstKnown(check.phrases, (phrase) => !contains(answer, phrase, check)),
    );
  if (check.type === 'not_contains')
    return named(
      'contains',
      firstKnown(check.phrases, (phrase) => contains(answer, phrase, check)),
    );
  if (check.type === 'equals')
    return named(
      'is not',
      firstKnown([check.value], (value) => !isEqual(answer, value, check)),
    );
  if (check.type === 'starts_with')
    return named(
      'does not start with',
      firstKnown([check.value], (value) => !starts(answer, value, check)),
    );
  return check.type === 'regex' ? whyPatternFails(check, answer) : undefined;
}

function whyPatternFails({ pattern, case_sensitive }: RegexCheck, answer: string): string | undefined {
  const compiled = compilePattern(pattern, { ignoreCase: !case_sensitive });
  return compiled.ok && !compiled.pattern.isIn(answer) ? 'the pattern does not occur in it' : undefined;
}

/** Texts with a placeholder are only known when the case runs. */
const firstKnown = (texts: readonly string[], fails: (text: string) => boolean): string | undefined =>
  texts.find((text) => !text.includes('{{') && fails(text));

const named = (how: string, text: string | undefined): string | undefined =>
  text === undefined ? undefined : `it ${how} \`${text}\``;

interface Spelling {
  case_sensitive: boolean;
}

const folded = (text: string, { case_sensitive }: Spelling): string =>
  case_sensitive ? text.normalize('NFC') : text.normalize('NFC').toLowerCase();

const contains = (text: string, phrase: string, spelling: Spelling): boolean =>
  folded(text, spelling).includes(folded(phrase, spelling));

const isEqual = (text: string, value: string, spelling: Spelling): boolean =>
  folded(text.trim(), spelling) === folded(value.trim(), spelling);

const starts = (text: string, value: string, spelling: Spelling): boolean =>
  folded(text.trimStart(), spelling).startsWith(folded(value, spelling));
