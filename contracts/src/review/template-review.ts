import { didYouMean } from '../definitions/near-match.ts';
import type { TestCase } from '../definitions/test-case.ts';
import { templatedFields } from '../definitions/test-case.ts';
import type { VariableDefinition } from '../definitions/test-type.ts';
import type { Finding, Path } from '../parse/finding.ts';

/** Placeholders of a case that no variable fills. `literal: true` switches placeholders off. */
export function templateFindings(testCase: TestCase, variables: readonly VariableDefinition[]): Finding[] {
  const keys = testCase.literal ? [] : templatedFields.filter((key) => mayHoldTemplate(testCase[key]));
  if (keys.length === 0) return [];
  const hidden = new Set(
    Object.entries(testCase.variables ?? {}).flatMap(([name, { exposed }]) => (exposed === false ? [name] : [])),
  );
  const names = variables.map(({ name }) => name).filter((name) => !hidden.has(name));
  return keys.flatMap((key) =>
    textsBelow(testCase[key], [key]).flatMap(({ text, path }) => placeholderFindings(text, names, path)),
  );
}

/** Placeholders of an agent's instructions that no variable fills. */
export const instructionFindings = (instructions: string, variables: readonly VariableDefinition[]): Finding[] =>
  placeholderFindings(
    instructions,
    variables.map(({ name }) => name),
    ['instructions'],
  );

function placeholderFindings(text: string, names: readonly string[], path: Path): Finding[] {
  return expressions(text)
    .filter(({ name, prefix }) => !names.includes(name) || prefix === '$')
    .map(({ name, prefix }) => ({
      path,
      code: 'unknown_variable',
      message: `unknown template expression \`${prefix}{{${name.slice(0, 60)}}}\`${didYouMean(name.trim(), names)}`,
      hint: 'Declare the variable in the test type, or set `literal: true` on the case to keep the text as it is.',
    }));
}

/** Every `{{…}}` of a text, found without a pattern so that no text is slow. */
function expressions(text: string): { name: string; prefix: string }[] {
  const found: { name: string; prefix: string }[] = [];
  for (let start = text.indexOf('{{'); start >= 0; start = text.indexOf('{{', start)) {
    const end = text.indexOf('}}', start + 2);
    if (end < 0) return found;
    found.push({ name: text.slice(start + 2, end), prefix: text[start - 1] === '$' ? '$' : '' });
    start = end + 2;
  }
  return found;
}

/** Most cases have no placeholder at all: this is decided before names and paths are gathered. */
function mayHoldTemplate(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('{{');
  return typeof value === 'object' && value !== null && Object.values(value).some(mayHoldTemplate);
}

function textsBelow(value: unknown, path: Path): { text: string; path: Path }[] {
  if (typeof value === 'string') return value.includes('{{') ? [{ text: value, path }] : [];
  if (Array.isArray(value)) return value.flatMap((item, index) => textsBelow(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => textsBelow(item, [...path, key]));
}
