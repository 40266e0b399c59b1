import { z } from 'zod';
import { type BridgeFile, bridgeFiles, copyBeside } from './bridge-files.ts';
import { fillAsserted, fillExpected, noText, noTexts, textOf, textsOf, type Within } from './fill-value.ts';
import { secretsIn } from './hide-secrets.ts';
import { type ImportedCheck, isMetric } from './imported-check.ts';
import { lostInCode } from './lost-values.ts';
import { isOtherwise, type Seen, seenBy, translateSeen } from './see-output.ts';
import { readSource } from './source.ts';

export type ImportedAssertion =
  | {
      ok: true;
      type: string;
      check: ImportedCheck;
      weight: number;
      judge: unknown;
      leftOut: string[];
      files: BridgeFile[];
    }
  | { ok: false; reason: string };

const Assertion = z.looseObject({
  type: z.string(),
  value: z.unknown().optional(),
  threshold: z.number().optional(),
  weight: z.number().min(0).optional(),
  provider: z.unknown().optional(),
  transform: z.unknown().optional(),
  config: z.record(z.string(), z.unknown()).optional(),
  assert: z.array(z.unknown()).optional(),
});

/** What people write beside an assertion that decides nothing. */
const bookkeeping = new Set(['metric', 'description', 'reason', '$ref', 'id']);

type Parts = { value: unknown; threshold: number | undefined };
/** A check, or why there is none. */
type Translate = (parts: Parts) => ImportedCheck | string;

const withText =
  (make: (value: string) => ImportedCheck): Translate =>
  ({ value }) => {
    const text = textOf(value);
    return text === null ? noText : make(text);
  };

const withTexts =
  (make: (values: string[]) => ImportedCheck): Translate =>
  ({ value }) => {
    const texts = textsOf(value);
    return texts === null ? noTexts : make(texts);
  };

const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
const anyOf = (values: readonly string[]): string => values.map(escapePattern).join('|');

const judged = (criteria: string): ImportedCheck => ({
  type: 'llm_judge',
  expected_answer: 'Any answer that meets the criteria.',
  criteria,
});

/** Who judges says yes or no; where there is a least score, it is a measure by the same words. */
const scored =
  (translate: Translate): Translate =>
  (parts) => {
    const check = translate(parts);
    if (parts.threshold === undefined || typeof check === 'string') return check;
    const expected =
      check.criteria === factual ? `${factual}\nExpected answer: ${String(check.expected_answer)}` : check.criteria;
    return {
      type: 'geval',
      criteria: expected,
      evaluation_params: ['input', 'actual_output'],
      threshold: parts.threshold,
    };
  };

const factual = 'The facts of the response agree with the expected answer.';

const withSchema =
  (without: ImportedCheck, type: string): Translate =>
  ({ value }) => {
    if (value === undefined || value === null) return without;
    // A text is the schema in YAML.
    const written = typeof value === 'string' ? readSource('schema', value) : undefined;
    const schema = z.record(z.string(), z.unknown()).safeParse(written?.ok === true ? written.source.value : value);
    return schema.success ? { type, schema: schema.data } : 'its schema is not known';
  };

const withThreshold =
  (make: (threshold: number) => ImportedCheck): Translate =>
  ({ threshold }) =>
    threshold === undefined ? 'it has no threshold' : make(threshold);

const withNumber =
  (make: (value: number) => ImportedCheck): Translate =>
  ({ value, threshold }) => {
    const number = Number(value ?? threshold ?? Number.NaN);
    return Number.isInteger(number) ? make(number) : 'its value is no whole number';
  };

const validCalls: Translate = () => ({ type: 'valid_tool_calls' });

function similar({ value, threshold = 0.75 }: Parts): ImportedCheck | string {
  const texts = Array.isArray(value) ? value.map(textOf) : [textOf(value)];
  const checks = texts.flatMap((text) =>
    text === null ? [] : [{ type: 'semantic_similarity', expected_answer: text, threshold }],
  );
  const [only, ...more] = checks;
  if (only === undefined || checks.length < texts.length) return noText;
  return more.length === 0 ? only : { type: 'group', mode: 'any', checks };
}

const translations: Record<string, Translate> = {
  equals: ({ value }) => {
    if (typeof value === 'object' && value !== null) return { type: 'json_path', path: '$', expected: value };
    const text = textOf(value);
    return text === null ? noText : { type: 'equals', value: text };
  },
  contains: withText((value) => ({ type: 'contains_phrases', phrases: [value], case_sensitive: true })),
  icontains: withText((value) => ({ type: 'contains_phrases', phrases: [value] })),
  'contains-all': withTexts((phrases) => ({ type: 'contains_phrases', phrases, case_sensitive: true })),
  'icontains-all': withTexts((phrases) => ({ type: 'contains_phrases', phrases })),
  'contains-any': withTexts((values) => ({ type: 'regex', pattern: anyOf(values) })),
  'icontains-any': withTexts((values) => ({ type: 'regex', pattern: anyOf(values), case_sensitive: false })),
  'starts-with': withText((value) => ({ type: 'starts_with', value, case_sensitive: true })),
  'ends-with': withText((value) => ({ type: 'ends_with', value, case_sensitive: true })),
  regex: withText((pattern) => ({ type: 'regex', pattern })),
  'is-json': withSchema({ type: 'is_json' }, 'json_schema'),
  'contains-json': withSchema({ type: 'contains_json' }, 'contains_json'),
  'not-empty': () => ({ type: 'length', min: 1 }),
  'min-length': withNumber((min) => ({ type: 'length', min })),
  'max-length': withNumber((max) => ({ type: 'length', max })),
  levenshtein: ({ value, threshold = 5 }) => {
    const text = textOf(value);
    return text === null ? noText : { type: 'levenshtein', value: text, max_distance: Math.floor(threshold) };
  },
  similar,
  'similar:cosine': similar,
  'llm-rubric': scored(withText(judged)),
  'model-graded-closedqa': scored(withText(judged)),
  'g-eval': ({ value, threshold = 0.7 }) =>
    scored(() => {
      const texts = (Array.isArray(value) ? value : [value]).map(textOf);
      return texts.includes(null) ? noText : judged(texts.join('\n'));
    })({ value, threshold }),
  factuality: scored(
    withText((value) => ({
      type: 'llm_judge',
      expected_answer: value,
      criteria: factual,
    })),
  ),
  'answer-relevance': ({ threshold }) => ({
    type: 'rag',
    metric_type: 'answer_relevancy',
    ...(threshold === undefined ? {} : { threshold }),
  }),
  latency: withThreshold((max_ms) => ({ type: 'latency', max_ms })),
  cost: withThreshold((max_usd) => ({ type: 'cost', max_usd })),
  'is-valid-openai-tools-call': validCalls,
  'is-valid-openai-function-call': validCalls,
  'is-valid-function-call': validCalls,
  'word-count': ({ value }) => {
    const bounds = z.looseObject({ min: z.int().optional(), max: z.int().optional() }).safeParse(value);
    if (typeof value === 'number') return { type: 'length', min: value, max: value, unit: 'words' };
    return bounds.success ? { type: 'length', ...bounds.data, unit: 'words' } : 'its value is no number of words';
  },
};

/** Where not containing is a check of its own, it says what it found. */
const negations: Record<string, Translate> = {
  'not-contains': withText((value) => ({ type: 'not_contains', phrases: [value], case_sensitive: true })),
  'not-icontains': withText((value) => ({ type: 'not_contains', phrases: [value] })),
  'not-contains-any': withTexts((phrases) => ({ type: 'not_contains', phrases, case_sensitive: true })),
  'not-icontains-any': withTexts((phrases) => ({ type: 'not_contains', phrases })),
};

const hints: Record<string, string> = {
  'rouge-n': 'give the case a ground_truth and the suite the metric rouge',
  bleu: 'give the case a ground_truth and the suite the metric bleu',
  meteor: 'give the case a ground_truth and the suite the metric meteor',
  'context-faithfulness': 'give the suite a metric of type rag',
  'context-recall': 'give the suite a metric of type rag',
  'context-relevance': 'give the suite a metric of type rag',
};

/** What one assertion means as a check, with the values of its test filled in. */
export function translateAssertion(value: unknown, within: Within): ImportedAssertion {
  const parsed = Assertion.safeParse(value);
  if (!parsed.success) return { ok: false, reason: 'the assertion has a form that is not known' };
  const {
    type,
    value: raw,
    threshold,
    weight = 1,
    provider: judge,
    config,
    assert,
    transform,
    ...others
  } = parsed.data;
  const leftOut = Object.keys(others).filter((key) => !bookkeeping.has(key));
  const made = (check: ImportedCheck, files: BridgeFile[] = []): ImportedAssertion => ({
    ...{ ok: true, type, check, weight, judge, leftOut, files },
  });
  const refuse = (reason: string): ImportedAssertion => ({ ok: false, reason: `${type}: ${reason}` });
  if (type === 'assert-set') return translateSet(assert ?? [], threshold, { within, made, refuse });
  const seen = seenBy(transform, within);
  if (typeof seen === 'string') return refuse(seen);
  const check =
    translateCode({ type, raw, threshold, config }, within, seen) ??
    translateSeen({ type, raw }, within, seen) ??
    translateData({ type, raw, threshold }, within);
  return typeof check === 'string' ? refuse(check) : made(check.check, check.files);
}

/** A check by data; why there is none, where there is none. */
function translateData(
  { type, raw, threshold }: Pick<CodeParts, 'type' | 'raw' | 'threshold'>,
  within: Within,
): { check: ImportedCheck; files: BridgeFile[] } | string {
  const own = lookUp(negations, type) ?? lookUp(translations, type);
  const translate = own ?? (type.startsWith('not-') ? lookUp(translations, type.slice('not-'.length)) : undefined);
  if (translate === undefined) return hints[type] ?? 'there is no check like it';
  const filled = fillExpected(raw, within);
  if (!filled.ok) return filled.reason;
  const check = translate({ value: filled.value, threshold });
  if (typeof check === 'string') return check;
  if (own === undefined && isMetric(check)) return 'the opposite of a least score is no measure';
  return { check: own === undefined ? { type: 'not', check } : check, files: [] };
}

const lookUp = (table: Readonly<Record<string, Translate>>, key: string): Translate | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

interface Making {
  within: Within;
  made: (check: ImportedCheck, files?: BridgeFile[]) => ImportedAssertion;
  refuse: (reason: string) => ImportedAssertion;
}

function translateSet(
  list: readonly unknown[],
  threshold: number | undefined,
  { within, made, refuse }: Making,
): ImportedAssertion {
  const inner = list.map((one) => translateAssertion(one, within));
  const broken = inner.find((one) => !one.ok);
  if (broken !== undefined || inner.length === 0) return refuse(broken?.ok === false ? broken.reason : 'it is empty');
  const whole = inner.filter((one) => one.ok).filter(({ weight }) => weight > 0);
  if (whole.length === 0) return refuse('nothing in it has a weight');
  if (whole.some(({ check }) => isMetric(check))) return refuse('a least score of a judge is no part of a set');
  return made(
    grouped(whole, threshold),
    whole.flatMap(({ files }) => files),
  );
}

type Weighed = Pick<Extract<ImportedAssertion, { ok: true }>, 'check' | 'weight'>;

/** All of them, or enough of their weight. */
export function grouped(all: readonly Weighed[], threshold: number | undefined): ImportedCheck {
  const checks = all.map(({ check }) => check);
  if (threshold === undefined) return { type: 'group', mode: 'all', checks };
  const weights = all.map(({ weight }) => weight);
  return { type: 'group', threshold, ...(weights.every((one) => one === 1) ? {} : { weights }), checks };
}

interface CodeParts {
  type: string;
  raw: unknown;
  threshold: number | undefined;
  config: Record<string, unknown> | undefined;
}

/** An assertion that is a program; null when it is none, and why where it cannot run. */
function translateCode(
  { type, raw, threshold, config = {} }: CodeParts,
  within: Within,
  seen: Seen,
): { check: ImportedCheck; files: BridgeFile[] } | string | null {
  const kind = type.replace(/^not-/, '');
  if (kind !== 'javascript' && kind !== 'python' && kind !== 'webhook') return null;
  if (typeof raw !== 'string') return noText;
  const negated = (check: ImportedCheck): ImportedCheck => (kind === type ? check : { type: 'not', check });
  if (kind !== 'javascript' && isOtherwise(seen))
    return 'what it looks at is no text, and only JavaScript is told of it';
  if (kind === 'webhook') return refusedAddress(raw) ?? { check: negated({ type: 'http', url: raw }), files: [] };
  const code = secretOf({ config }) ?? codeOf(raw, within);
  if (typeof code === 'string') return code;
  const { values } = within;
  const bridge = kind === 'javascript' ? bridgeFiles.javascriptCheck : bridgeFiles.pythonCheck;
  const shared = {
    ...(threshold === undefined ? {} : { threshold }),
    config: { ...code.asked, ...seen.config, vars: values, config },
  };
  const check =
    kind === 'javascript'
      ? { type: 'code', file: bridge.path, ...shared }
      : { type: 'command', command: ['python3', bridge.path], ...shared };
  return { check: negated(check), files: [bridge, ...code.files, ...seen.files] };
}

const refusedAddress = (address: string): string | undefined =>
  z.url().safeParse(address).success ? secretOf(address) : 'its value is no address';

function secretOf(value: unknown): string | undefined {
  const [path] = secretsIn(value);
  if (path?.length === 0) return 'its address holds a secret, and an address is kept in logs on its way';
  return path && `${path.join('.')}: a secret is not copied; let the program read it from its environment`;
}

/** What is run: a file of the configuration, which is copied, or the text of the assertion. */
function codeOf(raw: string, within: Within): { asked: Record<string, unknown>; files: BridgeFile[] } | string {
  const [, file, name] = /^file:\/\/(?:\.\/)?(.+?\.(?:py|[cm]?[jt]s))(?::(\w+))?$/.exec(raw.trim()) ?? [];
  if (file === undefined) {
    if (raw.startsWith('file://')) return 'its value stands in a file of another kind';
    const rendered = fillAsserted(raw, within);
    if (!rendered.ok) return rendered.reason;
    return lostInCode(within, rendered.text) ?? { asked: { code: rendered.text }, files: [] };
  }
  const copied = copyBeside(file, within.readBeside);
  if (!copied.ok) return `${file}: ${copied.reason}`;
  return (
    lostInCode(within, copied.file.text) ?? {
      asked: { file: copied.file.path, ...(name === undefined ? {} : { name }) },
      files: [copied.file],
    }
  );
}
