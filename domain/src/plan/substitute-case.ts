import type { AgentDefinition } from '@proofmark/contracts/agent-file';
import { suggestName } from '@proofmark/contracts/near-match';
import { TestCase, templatedFields } from '@proofmark/contracts/test-case';
import type { VariableValue } from '@proofmark/contracts/variables';
import type { VariableErrorCode } from '../variables/variable-rules.ts';

/** The values of one test, and the names its type declares: a declared name without a value deserves another message. */
export interface TemplateValues {
  values: Readonly<Record<string, VariableValue>>;
  declared: readonly string[];
}

export type Substituted<Value> = { ok: true; value: Value } | SubstitutionFault;

interface SubstitutionFault {
  ok: false;
  code: VariableErrorCode;
  message: string;
}

/** The case with its texts filled in; refused when a placeholder has no value or a filled-in text is no longer valid. */
export function substituteCase(testCase: TestCase, template: TemplateValues): Substituted<TestCase> {
  if (testCase.literal || !templatedFields.some((field) => hasPlaceholder(testCase[field]))) {
    return { ok: true, value: testCase };
  }
  const filler = new Filler(template);
  const filled = Object.fromEntries(templatedFields.map((field) => [field, filler.fill(testCase[field], field)]));
  if (filler.fault !== undefined) return filler.fault;
  if (!filler.changed) return { ok: true, value: testCase };
  const parsed = TestCase.safeParse({ ...testCase, ...filled });
  if (parsed.success) return { ok: true, value: parsed.data };
  const issue = parsed.error.issues[0];
  const message = `With its variables filled in the case is not valid: ${issue?.path.join('.')}: ${issue?.message}`;
  return { ok: false, code: 'invalid_value', message };
}

/** Whether there may be something to fill in; most cases have nothing, and building them anew is a good part of a plan. */
function hasPlaceholder(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('{{');
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasPlaceholder);
}

/** The agent with its instructions filled in. */
export function substituteAgent(agent: AgentDefinition, template: TemplateValues): Substituted<AgentDefinition> {
  const filler = new Filler(template);
  const instructions = filler.fillText(agent.instructions, "the agent's instructions");
  if (filler.fault !== undefined) return filler.fault;
  return { ok: true, value: filler.changed ? { ...agent, instructions } : agent };
}

class Filler {
  fault: SubstitutionFault | undefined;
  changed = false;
  readonly #template: TemplateValues;

  constructor(template: TemplateValues) {
    this.#template = template;
  }

  /** The same structure with every text filled in, except the words under `type`, which are names and not texts. */
  fill(value: unknown, place: string): unknown {
    if (typeof value === 'string') return this.fillText(value, place);
    if (Array.isArray(value)) return value.map((entry, index) => this.fill(entry, `${place}.${index}`));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [key, key === 'type' ? entry : this.fill(entry, `${place}.${key}`)]),
    );
  }

  fillText(text: string, place: string): string {
    if (!text.includes('{{')) return text;
    const result = substitute(text, this.#template.values);
    if (!result.ok) {
      this.fault ??= this.#explain(result.unknown[0] ?? '', place);
      return text;
    }
    this.changed ||= result.text !== text;
    return result.text;
  }

  #explain(name: string, place: string): SubstitutionFault {
    if (this.#template.declared.includes(name)) {
      return { ok: false, code: 'missing_required', message: `Variable '${name}' has no value, but ${place} uses it` };
    }
    const hint =
      suggestName(name, this.#template.declared) ?? 'Set `literal: true` on the case to keep braces as text.';
    return {
      ok: false,
      code: 'unknown_variable',
      message: `Unknown template expression '{{${name}}}' in ${place}. ${hint}`,
    };
  }
}

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
