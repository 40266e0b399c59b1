import type { Check } from '../definitions/checks.ts';
import { compilePattern } from '../definitions/pattern.ts';
import type { TestCase } from '../definitions/test-case.ts';
import { type Finding, warning } from '../parse/finding.ts';

/** Warns where the case's own `ground_truth` would fail its checks: then the checks, not the agent, are wrong. */
export function ownAnswerFindings({ ground_truth: groundTruth, expected_behavior: behavior }: TestCase): Finding[] {
  // With a placeholder in either text the answer is only known when the case runs.
  if (groundTruth === null || behavior === null || behavior.mode === 'any' || groundTruth.includes('{{')) return [];
  return behavior.checks.flatMap((check, index) => {
    const reason = whyItFails(check, groundTruth);
    return reason === undefined
      ? []
      : [
          warning(
            ['expected_behavior', 'checks', index],
            'invalid_value',
            `the case's own \`ground_truth\` would fail this check: ${reason}`,
          ),
        ];
  });
}

function whyItFails(check: Check, answer: string): string | undefined {
  if (check.type === 'contains_phrases') {
    const missing = check.phrases.find(
      (phrase) => !contains(answer, phrase, check.case_sensitive) && !phrase.includes('{{'),
    );
    return missing === undefined ? undefined : `it does not contain \`${missing}\``;
  }
  if (check.type === 'not_contains') {
    const found = check.phrases.find((phrase) => contains(answer, phrase, check.case_sensitive));
    return found === undefined ? undefined : `it contains \`${found}\``;
  }
  if (check.type === 'regex') {
    const compiled = compilePattern(check.pattern, { ignoreCase: !check.case_sensitive });
    return compiled.ok && !compiled.pattern.isIn(answer) ? 'the pattern does not occur in it' : undefined;
  }
  return undefined;
}

function contains(text: string, phrase: string, caseSensitive: boolean): boolean {
  const comparable = (value: string): string =>
    caseSensitive ? value.normalize('NFC') : value.normalize('NFC').toLowerCase();
  return comparable(text).includes(comparable(phrase));
}
