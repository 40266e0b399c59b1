import type { VariableValue } from '@proofmark/contracts/variables';

const expression = /\{\{([\s\S]*?)\}\}/g;

export type Substitution = { ok: true; text: string } | { ok: false; unknown: string[] };

/**
 * The text with every `{{Name}}` replaced by its value, in one pass: values are never expanded again. Every other `{{…}}`
 * is returned as unknown, also a variable that has no value, because leaving it in would change what the agent is asked.
 */
export function substitute(text: string, values: Readonly<Record<string, VariableValue>>): Substitution {
  const unknown = templateNames(text).filter((name) => !Object.hasOwn(values, name));
  if (unknown.length > 0) return { ok: false, unknown };
  return { ok: true, text: text.replace(expression, (_, name: string) => String(values[name])) };
}

/** What stands between `{{` and `}}`, each once, in the order of the text. */
export function templateNames(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(expression), (match) => match[1] ?? ''))];
}
