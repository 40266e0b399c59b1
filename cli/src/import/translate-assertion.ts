import { z } from 'zod';
import { fillIn } from './source.ts';

/** A check of a case, as a suite file has it. */
export type ImportedCheck = Record<string, unknown> & { type: string };

export type ImportedAssertion =
  | { ok: true; type: string; check: ImportedCheck; leftOut: string[] }
  | { ok: false; reason: string };

const Assertion = z.looseObject({
  type: z.string(),
  value: z.unknown().optional(),
  threshold: z.number().optional(),
});

type Parts = { value: unknown; threshold: number | undefined };
/** A check, or why there is none. */
type Translate = (parts: Parts) => ImportedCheck | string;

const withText =
  (make: (value: string) => ImportedCheck): Translate =>
  ({ value }) => {
    const text = textOf(value);
    return text === null ? 'its value is no text' : make(text);
  };

const withTexts =
  (make: (values: string[]) => ImportedCheck): Translate =>
  ({ value }) => {
    const texts = (Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : []).map(textOf);
    const found = texts.flatMap((text) => text?.trim() || []);
    return found.length === 0 || found.length < texts.length ? 'its value is no list of texts' : make(found);
  };

const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
const anyOf = (values: readonly string[]): string => values.map(escapePattern).join('|');

const judged = (criteria: string): ImportedCheck => ({
  type: 'llm_judge',
  expected_answer: 'Any answer that meets the criteria.',
  criteria,
});

const translations: Record<string, Translate> = {
  equals: withText((value) => ({ type: 'equals', value })),
  contains: withText((value) => ({ type: 'contains_phrases', phrases: [value], case_sensitive: true })),
  icontains: withText((value) => ({ type: 'contains_phrases', phrases: [value] })),
  'contains-all': withTexts((phrases) => ({ type: 'contains_phrases', phrases, case_sensitive: true })),
  'icontains-all': withTexts((phrases) => ({ type: 'contains_phrases', phrases })),
  'contains-any': withTexts((values) => ({ type: 'regex', pattern: anyOf(values) })),
  'icontains-any': withTexts((values) => ({ type: 'regex', pattern: anyOf(values), case_sensitive: false })),
  'not-contains': withText((value) => ({ type: 'not_contains', phrases: [value], case_sensitive: true })),
  'not-icontains': withText((value) => ({ type: 'not_contains', phrases: [value] })),
  'not-contains-any': withTexts((phrases) => ({ type: 'not_contains', phrases, case_sensitive: true })),
  'not-icontains-any': withTexts((phrases) => ({ type: 'not_contains', phrases })),
  'starts-with': withText((value) => ({ type: 'starts_with', value, case_sensitive: true })),
  regex: withText((pattern) => ({ type: 'regex', pattern })),
  'is-json': ({ value }) => {
    if (value === undefined) return { type: 'is_json' };
    const schema = z.record(z.string(), z.unknown()).safeParse(value);
    return schema.success ? { type: 'json_schema', schema: schema.data } : 'its schema is not written in this file';
  },
  similar: ({ value, threshold = 0.75 }) => {
    const text = textOf(value);
    return text === null ? 'its value is no text' : { type: 'semantic_similarity', expected_answer: text, threshold };
  },
  'llm-rubric': withText(judged),
  'model-graded-closedqa': withText(judged),
  factuality: withText((value) => ({
    type: 'llm_judge',
    expected_answer: value,
    criteria: 'The facts of the response agree with the expected answer.',
  })),
  latency: ({ threshold }) =>
    threshold === undefined ? 'it has no threshold' : { type: 'latency', max_ms: threshold },
  cost: ({ threshold }) => (threshold === undefined ? 'it has no threshold' : { type: 'cost', max_usd: threshold }),
  'word-count': ({ value }) => {
    const bounds = z.looseObject({ min: z.int().optional(), max: z.int().optional() }).safeParse(value);
    if (typeof value === 'number') return { type: 'length', min: value, max: value, unit: 'words' };
    return bounds.success ? { type: 'length', ...bounds.data, unit: 'words' } : 'its value is no number of words';
  },
};

const hints: Record<string, string> = {
  javascript: 'a program decides; say what it looks for with regex, json_path or llm_judge',
  python: 'a program decides; say what it looks for with regex, json_path or llm_judge',
  webhook: 'a service decides',
  'rouge-n': 'give the case a ground_truth and the suite the metric rouge',
  bleu: 'give the case a ground_truth and the suite the metric bleu',
  meteor: 'give the case a ground_truth and the suite the metric meteor',
  'g-eval': 'give the suite a metric of type geval with these criteria',
  'answer-relevance': 'give the suite the metric relevance',
  'context-faithfulness': 'give the suite a metric of type rag',
  'context-recall': 'give the suite a metric of type rag',
  'context-relevance': 'give the suite a metric of type rag',
  'assert-set': 'checks of a case are not weighed against each other',
};

/** What one assertion means as a check, with the values of its test filled in. */
export function translateAssertion(value: unknown, values: Readonly<Record<string, unknown>>): ImportedAssertion {
  const parsed = Assertion.safeParse(value);
  if (!parsed.success) return { ok: false, reason: 'the assertion has a form that is not known' };
  const { type, value: raw, threshold, ...others } = parsed.data;
  const translate = Object.hasOwn(translations, type) ? translations[type] : undefined;
  if (translate === undefined) return { ok: false, reason: `${type}: ${hints[type] ?? 'there is no check like it'}` };
  const filled = fillDeep(raw, values);
  if (!filled.ok) return { ok: false, reason: `${type}: ${filled.reason}` };
  const check = translate({ value: filled.value, threshold });
  if (typeof check === 'string') return { ok: false, reason: `${type}: ${check}` };
  return { ok: true, type, check, leftOut: Object.keys(others) };
}

type Filled = { ok: true; value: unknown } | { ok: false; reason: string };

function fillDeep(value: unknown, values: Readonly<Record<string, unknown>>): Filled {
  if (typeof value === 'string') {
    if (value.startsWith('file://')) return { ok: false, reason: 'its value stands in another file' };
    const filled = fillIn(value, values);
    return filled.ok ? { ok: true, value: filled.text } : filled;
  }
  if (!Array.isArray(value)) return { ok: true, value };
  const items = value.map((item) => fillDeep(item, values));
  const failed = items.find((item) => !item.ok);
  return failed ?? { ok: true, value: items.map((item) => (item.ok ? item.value : null)) };
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}
