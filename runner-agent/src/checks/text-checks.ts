import type { Check } from '@proofmark/contracts/checks';
import { compilePattern } from '@proofmark/contracts/pattern';
import type { CheckVerdict } from './check-verdict.ts';
import { checkError, quoted, verdict } from './check-verdict.ts';
import { containsPhrases } from './contains-phrases.ts';

type CheckOf<Type extends Check['type']> = Extract<Check, { type: Type }>;

export function checkPhrases({ phrases, case_sensitive }: CheckOf<'contains_phrases'>, response: string): CheckVerdict {
  const { passed, matched, missing } = containsPhrases(response, phrases, case_sensitive);
  return { status: passed ? 'pass' : 'fail', details: { matchedPhrases: matched, missingPhrases: missing } };
}

/** Fails when one of the phrases occurs; `matchedPhrases` names those. */
export function checkAbsence({ phrases, case_sensitive }: CheckOf<'not_contains'>, response: string): CheckVerdict {
  const { matched } = containsPhrases(response, phrases, case_sensitive);
  return { status: matched.length === 0 ? 'pass' : 'fail', details: { matchedPhrases: matched } };
}

export function checkEqual({ value, case_sensitive }: CheckOf<'equals'>, response: string): CheckVerdict {
  const isEqual = fold(response.trim(), case_sensitive) === fold(value.trim(), case_sensitive);
  return verdict(isEqual, `The response is not ${quoted(value)}`);
}

export function checkStart({ value, case_sensitive }: CheckOf<'starts_with'>, response: string): CheckVerdict {
  const startsWith = fold(response.trimStart(), case_sensitive).startsWith(fold(value, case_sensitive));
  return verdict(startsWith, `The response begins with ${quoted(response.trimStart().slice(0, value.length))}`);
}

export function checkPattern({ pattern, case_sensitive }: CheckOf<'regex'>, response: string): CheckVerdict {
  const compiled = compilePattern(pattern, { ignoreCase: !case_sensitive });
  if (!compiled.ok) return checkError(compiled.message);
  return verdict(compiled.pattern.isIn(response), `The pattern ${quoted(pattern)} does not occur in the response`);
}

export function checkLength(
  { min = 0, max = Number.POSITIVE_INFINITY, unit }: CheckOf<'length'>,
  response: string,
): CheckVerdict {
  const words = response.split(/\s+/).filter((word) => word !== '');
  const length = unit === 'words' ? words.length : Array.from(response).length;
  return verdict(length >= min && length <= max, `The response has ${length} ${unit}`);
}

function fold(text: string, caseSensitive: boolean): string {
  return caseSensitive ? text.normalize('NFC') : text.normalize('NFC').toLowerCase();
}
