import { type AnswerForm, answerForms, type ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { Adjustment } from '@proofmark/contracts/case-outcome';
import type { ChatRequest } from './model-port.ts';
import type { ModelRefusal } from './read-refusal.ts';

/** What can be left out of a request. */
const droppable = ['temperature', 'seed', 'reasoning_effort', 'logprobs', 'stream_options'] as const;
type Droppable = (typeof droppable)[number];

/** How one model at one address wants to be asked. All that is not the usual way was learnt from its own refusals. */
export interface Dialect {
  /** What it calls the longest answer; null: it takes none of ours. A limit that somebody has set is always sent. */
  limitName: 'max_tokens' | 'max_completion_tokens' | null;
  /** How often the usual limit is multiplied: models that think before they speak use it up without a word. */
  limitFactor: 1 | 4;
  /** The strictest form of a structured answer that it takes. */
  form: AnswerForm;
  /** `default`: it refuses the value that we would send by ourselves; `always`: it does not know the field. */
  leftOut: Partial<Readonly<Record<Droppable, 'default' | 'always'>>>;
}

/** How every model is asked until it refuses. */
export const usualDialect: Dialect = { limitName: 'max_tokens', limitFactor: 1, form: 'tool', leftOut: {} };

/** Fields of a request body by the setting that they carry. */
type Sent = Readonly<Record<string, unknown>>;

/** What models have taught so far, by address and name: no list of model names would stay right. */
export class Dialects {
  readonly #known = new Map<string, Dialect>();

  of(settings: ModelSettings): Dialect {
    return this.#known.get(idOf(settings)) ?? usualDialect;
  }

  /** What a call has found out beyond what was known, once it has been answered in that way; what others found meanwhile stays. */
  keep(settings: ModelSettings, { before, found }: { before: Dialect; found: Dialect }): void {
    if (found === before) return;
    const known = this.of(settings);
    this.#known.set(idOf(settings), {
      limitName: found.limitName === before.limitName ? known.limitName : found.limitName,
      limitFactor: found.limitFactor === before.limitFactor ? known.limitFactor : found.limitFactor,
      form: laterForm(known.form, found.form),
      leftOut: { ...known.leftOut, ...found.leftOut },
    });
  }
}

const idOf = ({ base_url, model }: ModelSettings): string => JSON.stringify([base_url, model]);

const laterForm = (one: AnswerForm, other: AnswerForm): AnswerForm =>
  answerForms.indexOf(one) >= answerForms.indexOf(other) ? one : other;

/** The form in which this configuration is asked for a shape. */
export const formFor = (
  { structured_output: wanted = 'strict_schema' }: ModelSettings,
  { form }: Dialect,
): AnswerForm => laterForm(wanted, form);

/** The limit to send: what the configuration says, else ours, as far as the model takes it. */
export function limitFor(settings: ModelSettings, request: ChatRequest, { limitFactor }: Dialect): number | undefined {
  const limit = settings.max_tokens ?? request.defaults?.maxTokens;
  // Only measuring calls have a shape: the limit of an agent is part of what is measured.
  return limit === undefined || request.schema === undefined ? limit : limit * limitFactor;
}

/** What the limit is called; null: it is not sent. A limit that somebody wrote always is. */
export const limitNameFor = ({ max_tokens }: ModelSettings, { limitName }: Dialect): Dialect['limitName'] =>
  limitName ?? (max_tokens === undefined ? null : usualDialect.limitName);

/** Whether the field may be sent: `isSet` says whether somebody wrote the value. */
export const mayBeSent = ({ leftOut }: Dialect, field: Droppable, isSet: boolean): boolean =>
  leftOut[field] === undefined || (isSet && leftOut[field] === 'default');

/** Words by which refusals name a field, in the spellings of all servers. */
const spellings: Readonly<Record<Droppable | 'limit' | 'form', readonly string[]>> = {
  temperature: ['temperature'],
  seed: ['seed', 'random_seed', 'randomSeed'],
  reasoning_effort: ['reasoning_effort', 'reasoningEffort', 'reasoning.effort'],
  logprobs: ['logprobs', 'top_logprobs', 'logProbs', 'topLogprobs', 'responseLogprobs'],
  stream_options: ['stream_options', 'streamOptions', 'include_usage'],
  limit: ['max_tokens', 'max_completion_tokens', 'maxTokens', 'maxCompletionTokens', 'maxOutputTokens'],
  form: [
    ...['response_format', 'responseFormat', 'json_schema', 'jsonSchema', 'json_object', 'response_schema'],
    ...['responseSchema', 'responseMimeType', 'additionalProperties', 'tool_choice', 'toolChoice', 'guided_json'],
    ...['structured output', 'structured outputs', 'JSON mode', 'response format'],
  ],
};
type Named = keyof typeof spellings;

/** How each is sent. */
const isSent: Readonly<Record<Named, (sent: Sent) => boolean>> = {
  temperature: (sent) => 'temperature' in sent,
  seed: (sent) => 'seed' in sent,
  reasoning_effort: (sent) => 'reasoning_effort' in sent,
  logprobs: (sent) => 'logprobs' in sent,
  stream_options: (sent) => 'stream_options' in sent,
  limit: (sent) => 'max_tokens' in sent || 'max_completion_tokens' in sent,
  form: (sent) => 'response_format' in sent || 'tool_choice' in sent,
};

/** What is given up first where a server only says that something is too much. */
const inOrder: readonly Named[] = [
  'form',
  'logprobs',
  'stream_options',
  'seed',
  'reasoning_effort',
  'temperature',
  'limit',
];

/** Refusals of what was asked, and not of how: another way of asking would end the same. */
const lastingCodes: ReadonlySet<string> = new Set([
  ...['context_length_exceeded', 'content_filter', 'content_policy_violation', 'json_validate_failed'],
  ...['tool_use_failed', 'model_not_found', 'insufficient_quota'],
]);
const lasting =
  /context.?length|context window|maximum context|prompt is too long|content.?(?:filter|management|policy)/i;
const aboutParameters = /no endpoints found that can handle the requested parameters/i;

interface Learning {
  settings: ModelSettings;
  sent: Sent;
  refusal: ModelRefusal;
}

/**
 * How to ask instead, one change at a time; undefined when nothing can be learnt from the refusal. Key, quota, rate and
 * faults of the server teach nothing, whatever they say.
 */
export function learn(dialect: Dialect, learning: Learning): Dialect | undefined {
  const { settings, sent, refusal } = learning;
  if (!isAboutAsking(refusal)) return undefined;
  const named = aboutParameters.test(refusal.text)
    ? inOrder.find((field) => isSent[field](sent) && !isSet[field](settings))
    : namedField(learning);
  if (named === undefined) return undefined;
  if (named === 'limit') return otherLimit(dialect, learning);
  if (named === 'form') return nextForm(dialect, settings);
  const isValue = isAboutValue(refusal);
  // Somebody wrote this value and could write another one: it is theirs to change.
  if (isValue && isSet[named](settings)) return undefined;
  return { ...dialect, leftOut: { ...dialect.leftOut, [named]: isValue ? 'default' : 'always' } };
}

/** Whether the refusal may be about how the model was asked. */
function isAboutAsking({ status, text, code }: ModelRefusal): boolean {
  if (status === 404) return aboutParameters.test(text);
  return (status === 400 || status === 422) && !lastingCodes.has(code ?? '') && !lasting.test(text);
}

/** What somebody has written into the configuration. */
const isSet: Readonly<Record<Named, (settings: ModelSettings) => boolean>> = {
  temperature: ({ temperature }) => temperature !== undefined,
  seed: ({ seed }) => seed !== undefined,
  reasoning_effort: ({ reasoning_effort }) => reasoning_effort !== undefined,
  logprobs: () => false,
  stream_options: () => false,
  limit: ({ max_tokens }) => max_tokens !== undefined,
  form: () => false,
};

/** The field that the refusal is about: one that it names in its place, else the one that its text names first. */
function namedField({ settings, sent, refusal: { text, fields } }: Learning): Named | undefined {
  const candidates = inOrder.filter((field) => isSent[field](sent));
  const inPlace = candidates.find((field) =>
    fields.some((name) => spellings[field].includes(name.split('.')[0] ?? '')),
  );
  if (inPlace) return inPlace;
  // A model may be called what a field is called.
  const words = text.replaceAll(settings.model, ' ');
  const found = candidates
    .map((field) => ({ field, at: firstMention(words, spellings[field]) }))
    .filter(({ at }) => at !== -1)
    .toSorted((a, b) => a.at - b.at);
  return found[0]?.field;
}

/** Where the text first says one of the names as a word of its own; -1: nowhere. */
const firstMention = (text: string, names: readonly string[]): number => mentionOf(names).exec(text)?.index ?? -1;

const mentionOf = (names: readonly string[]): RegExp =>
  new RegExp(`(?<![\\w-])(?:${names.map((name) => name.replaceAll('.', '\\.')).join('|')})(?![\\w-])`, 'i');

/** Whether the model knows the field and only does not take this value. */
function isAboutValue({ text, code }: ModelRefusal): boolean {
  return (code !== null && valueCodes.has(code)) || aboutValue.test(text);
}

const valueCodes: ReadonlySet<string> = new Set(['unsupported_value', 'invalid_value']);
const aboutValue =
  /\bonly (?:the default|[\d.]+) |does not support \S+ with this model|invalid temperature|out of range|valid range|must be (?:between|less|greater|at (?:least|most)|in the range|[<>]=?)|less than or equal|too (?:large|high|small|low)/i;
const tooSmall = /higher max_tokens|output limit was reached/i;

function otherLimit(dialect: Dialect, { settings, sent, refusal }: Learning): Dialect | undefined {
  const { text } = refusal;
  if (tooSmall.test(text)) return moreTokens(dialect);
  if (isAboutValue(refusal)) {
    if (dialect.limitFactor !== 1) return { ...dialect, limitFactor: 1 };
    return isSet.limit(settings) ? undefined : { ...dialect, limitName: null };
  }
  const isFirst = 'max_tokens' in sent && dialect.limitName === 'max_tokens';
  if (isFirst) return { ...dialect, limitName: 'max_completion_tokens' };
  return isSet.limit(settings) ? undefined : { ...dialect, limitName: null };
}

/** Room for thoughts, once; undefined where there is more already. */
export const moreTokens = (dialect: Dialect): Dialect | undefined =>
  dialect.limitFactor === 1 ? { ...dialect, limitFactor: 4 } : undefined;

function nextForm(dialect: Dialect, settings: ModelSettings): Dialect | undefined {
  const next = answerForms[answerForms.indexOf(formFor(settings, dialect)) + 1];
  return next && { ...dialect, form: next };
}

/** What of this request was meant otherwise than it is sent in the dialect. */
export function adjustmentsOf(settings: ModelSettings, request: ChatRequest, dialect: Dialect): Adjustment[] {
  if (dialect === usualDialect) return [];
  const { configuration, model } = settings;
  const changes = [...leftOutOf(settings, request, dialect), ...limitChanges(settings, request, dialect)];
  const form = formFor(settings, dialect);
  if (request.schema && form !== formFor(settings, usualDialect)) changes.push(['structured_output', form]);
  return changes.map(([setting, instead]) => ({ configuration, model, setting, instead }));
}

type Change = [setting: Adjustment['setting'], instead: string | null];

function leftOutOf(settings: ModelSettings, { defaults = {}, weighsTokens }: ChatRequest, dialect: Dialect): Change[] {
  const wanted: [Droppable, Adjustment['setting'], written: unknown, usual: unknown][] = [
    ['temperature', 'temperature', settings.temperature, defaults.temperature],
    ['seed', 'seed', settings.seed, defaults.seed],
    ['reasoning_effort', 'reasoning_effort', settings.reasoning_effort, undefined],
    ['logprobs', 'log_probabilities', (weighsTokens && settings.log_probabilities) || undefined, undefined],
    ['stream_options', 'stream_usage', undefined, settings.stream || undefined],
  ];
  return wanted
    .filter(
      ([field, , written, usual]) =>
        (written ?? usual) !== undefined && !mayBeSent(dialect, field, written !== undefined),
    )
    .map(([, setting]) => [setting, null]);
}

function limitChanges(settings: ModelSettings, request: ChatRequest, dialect: Dialect): Change[] {
  const limit = limitFor(settings, request, dialect);
  if (limit === undefined) return [];
  const isRaised = request.schema !== undefined && dialect.limitFactor !== 1;
  const name = limitNameFor(settings, dialect);
  return [
    ...(name === usualDialect.limitName ? [] : [['max_tokens', name] satisfies Change]),
    ...(isRaised ? [['max_tokens', 'four times as many'] satisfies Change] : []),
  ];
}
