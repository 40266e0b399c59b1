import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import { describe, expect, test } from 'vitest';
import { adjustmentsOf, type Dialect, Dialects, learn, usualDialect } from './dialects.ts';
import type { ChatRequest } from './model-port.ts';
import { readRefusal } from './read-refusal.ts';
import { toChatBody } from './to-chat-body.ts';

const model: ModelSettings = { configuration: 'judge', provider: 'openai', model: 'judge-1' };
const measuring: ChatRequest = {
  messages: [],
  defaults: { temperature: 0, maxTokens: 800, seed: 7 },
  schema: { name: 'verdict', schema: { type: 'object' } },
};

interface Refused {
  body: unknown;
  status?: number;
  settings?: Partial<ModelSettings>;
  from?: Partial<Dialect>;
}

/** What a refusal of a measuring request teaches: only what changes, or undefined. */
function taught({ body, status = 400, settings = {}, from = {} }: Refused): Partial<Dialect> | undefined {
  const dialect = { ...usualDialect, ...from };
  const asked = { ...model, ...settings };
  const sent = { ...toChatBody(asked, measuring, dialect) };
  const found = learn(dialect, { settings: asked, sent, refusal: readRefusal(status, body) });
  if (found === undefined) return undefined;
  return Object.fromEntries(Object.entries(found).filter(([key, value]) => dialect[key as keyof Dialect] !== value));
}

const openai = (message: string, more: object = {}): unknown => ({
  error: { message, type: 'invalid_request_error', ...more },
});
const noSchema: Partial<Dialect> = { form: 'schema' };

/** Texts of real servers, as people have reported them. */
describe('what models refuse in life teaches one change', () => {
  test.each<[string, Refused, Partial<Dialect>]>([
    [
      'o-series, gpt-5: one temperature only',
      {
        body: openai(
          "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
          {
            ...{ param: 'temperature', code: 'unsupported_value' },
          },
        ),
      },
      { leftOut: { temperature: 'default' } },
    ],
    [
      'newest Claude: no temperature',
      { body: openai('`temperature` is deprecated for this model.') },
      { leftOut: { temperature: 'always' } },
    ],
    [
      'Kimi: one temperature only',
      { body: openai('invalid temperature: only 1 is allowed for this model') },
      { leftOut: { temperature: 'default' } },
    ],
    [
      'o-series, gpt-5: another name of the limit',
      {
        body: openai(
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          { param: 'max_tokens' },
        ),
      },
      { limitName: 'max_completion_tokens' },
    ],
    [
      'Mistral: 422 without `error`, an unknown seed',
      {
        status: 422,
        body: {
          object: 'error',
          message: {
            detail: [
              { type: 'extra_forbidden', loc: ['body', 'seed'], msg: 'Extra inputs are not permitted', input: 7 },
            ],
          },
        },
      },
      { leftOut: { seed: 'always' } },
    ],
    [
      'a server of FastAPI that knows no limit under either name',
      {
        status: 422,
        from: { limitName: 'max_completion_tokens' },
        body: {
          detail: [
            { type: 'extra_forbidden', loc: ['body', 'max_completion_tokens'], msg: 'Extra inputs are not permitted' },
          ],
        },
      },
      { limitName: null },
    ],
    [
      'gpt-5: thoughts used the limit up',
      {
        body: openai(
          'Could not finish the message because max_tokens or model output limit was reached. Please try again with higher max_tokens.',
        ),
      },
      { limitFactor: 4 },
    ],
    [
      'a small model: the usual limit is too large',
      {
        body: openai('max_tokens is too large: 800. This model supports at most 512 completion tokens.', {
          code: 'invalid_value',
        }),
      },
      { limitName: null },
    ],
    [
      'a raised limit that is too large',
      {
        from: { limitFactor: 4 },
        body: openai('Invalid max_tokens value, the valid range of max_tokens is [1, 2048]'),
      },
      { limitFactor: 1 },
    ],
    [
      'OpenAI, older models: no schema',
      {
        body: openai(
          "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model. Learn more…",
          { param: '' },
        ),
      },
      noSchema,
    ],
    [
      'Azure: an old API version',
      {
        body: openai(
          'response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later',
        ),
      },
      noSchema,
    ],
    [
      'DeepSeek: no schema',
      { body: openai('This response_format type is unavailable now', { param: null }) },
      noSchema,
    ],
    [
      'DeepSeek, earlier',
      { status: 422, body: openai('response_format.type `json_schema` is unavailable now') },
      noSchema,
    ],
    [
      'Volcengine: no schema',
      {
        body: openai('invalid value: `json_schema`, supported values are: `json_object` and `text`', {
          param: 'response_format.type',
        }),
      },
      noSchema,
    ],
    [
      'LM Studio: a text as error, no JSON object',
      { from: { form: 'json_object' }, body: { error: "'response_format.type' must be 'json_schema' or 'text'" } },
      { form: 'plain' },
    ],
    [
      'OpenAI: a schema it does not like',
      {
        body: openai(
          "Invalid schema for response_format 'verdict': In context=(), 'additionalProperties' is required to be supplied and to be false",
        ),
      },
      noSchema,
    ],
    [
      'Groq: a schema it does not like',
      { body: openai('invalid schema for response format: minItems is not supported') },
      noSchema,
    ],
    [
      'DeepSeek, thinking: no forced tool',
      { settings: { structured_output: 'tool' }, body: openai('Thinking mode does not support this tool_choice') },
      { form: 'strict_schema' },
    ],
    [
      'newest Claude: no forced tool',
      {
        settings: { structured_output: 'tool' },
        body: openai('tool_choice: type "tool" and "any" are not supported for this model.'),
      },
      { form: 'strict_schema' },
    ],
    [
      'Gemini: a list, an unknown seed',
      {
        body: [
          {
            error: {
              code: 400,
              message: 'Invalid JSON payload received. Unknown name "seed": Cannot find field.',
              status: 'INVALID_ARGUMENT',
            },
          },
        ],
      },
      { leftOut: { seed: 'always' } },
    ],
    [
      'xAI: camel case',
      {
        settings: { reasoning_effort: 'low' },
        body: {
          code: 'Client specified an invalid argument',
          error: 'Model grok-4 does not support parameter reasoningEffort.',
        },
      },
      { leftOut: { reasoning_effort: 'always' } },
    ],
    [
      'Groq: an unknown property',
      { body: openai("property 'seed' is unsupported, did you mean 'stop'?") },
      { leftOut: { seed: 'always' } },
    ],
    [
      'OpenRouter: no endpoint takes all of it',
      { status: 404, body: openai('No endpoints found that can handle the requested parameters.', { code: 404 }) },
      noSchema,
    ],
  ])('%s', (_who, refused, change) => {
    expect(taught(refused)).toEqual(change);
  });
});

describe('nothing is learnt', () => {
  const temperature = openai('temperature is not supported');
  test.each<[string, Refused]>([
    ...[401, 403, 404, 409, 413, 429, 500, 503].map((status): [string, Refused] => [
      `from ${status}`,
      { status, body: temperature },
    ]),
    [
      'from a text that is too long',
      {
        body: openai("This model's maximum context length is 8192 tokens, and max_tokens is 800.", {
          code: 'context_length_exceeded',
        }),
      },
    ],
    [
      'from the same without a code',
      {
        body: openai("'max_completion_tokens' is too large: 9000. This model's maximum context length is 8192 tokens"),
      },
    ],
    [
      'from a filter',
      { body: openai('The response was filtered by the content management policy, see response_format') },
    ],
    [
      'from an answer that its server did not like',
      { body: openai('Failed to validate JSON, response_format', { code: 'json_validate_failed' }) },
    ],
    [
      'from words of the request that come back',
      {
        status: 422,
        body: { detail: [{ loc: ['body', 'messages'], msg: 'Too long', input: 'What temperature is it?' }] },
      },
    ],
    ['from a field that was not sent', { body: openai('frequency_penalty is not supported') }],
    ['from the name of the model', { body: openai('The model seed-1.6 is not here'), settings: { model: 'seed-1.6' } }],
    ['from a word inside of another', { body: openai('The seedling-temperature-set is unknown') }],
    ['where all forms were tried', { from: { form: 'plain' }, body: openai('response_format is unknown') }],
    [
      'where the value is what somebody wrote',
      { settings: { temperature: 0.2 }, body: openai('invalid temperature: only 1 is allowed for this model') },
    ],
    [
      'where the limit is what somebody wrote',
      { settings: { max_tokens: 9 }, body: openai('max_tokens is too small: 9 must be at least 16') },
    ],
  ])('%s', (_why, refused) => {
    expect(taught(refused)).toBeUndefined();
  });
});

test('a value that somebody wrote is sent although the usual one is refused, and not where the field is', () => {
  const only = { ...usualDialect, leftOut: { temperature: 'default' } } satisfies Dialect;
  expect(toChatBody(model, measuring, only)).not.toHaveProperty('temperature');
  expect(toChatBody({ ...model, temperature: 1 }, measuring, only)).toMatchObject({ temperature: 1 });
  const none = { ...usualDialect, leftOut: { temperature: 'always' } } satisfies Dialect;
  expect(toChatBody({ ...model, temperature: 1 }, measuring, none)).not.toHaveProperty('temperature');
});

test('every change is told with its configuration and model, and what is asked as usual is not', () => {
  const dialect: Dialect = {
    limitName: 'max_completion_tokens',
    limitFactor: 4,
    form: 'json_object',
    leftOut: { temperature: 'always', seed: 'always' },
  };
  const told = (request: ChatRequest) =>
    adjustmentsOf(model, request, dialect).map(({ setting, instead }) => [setting, instead]);
  expect(told(measuring)).toEqual([
    ['temperature', null],
    ['seed', null],
    ['max_tokens', 'max_completion_tokens'],
    ['max_tokens', 'four times as many'],
    ['structured_output', 'json_object'],
  ]);
  expect(told({ messages: [] })).toEqual([]);
  expect(adjustmentsOf(model, measuring, usualDialect)).toEqual([]);
});

test('calls that find out different things at the same time teach the model both, and other models nothing', () => {
  const dialects = new Dialects();
  const before = dialects.of(model);
  dialects.keep(model, { before, found: { ...before, leftOut: { seed: 'always' } } });
  dialects.keep(model, { before, found: { ...before, form: 'json_object' } });
  dialects.keep(model, { before, found: { ...before, form: 'schema' } });
  expect(dialects.of(model)).toEqual({ ...usualDialect, form: 'json_object', leftOut: { seed: 'always' } });
  expect(dialects.of({ ...model, model: 'judge-2' })).toBe(usualDialect);
  expect(dialects.of({ ...model, base_url: 'https://other.example/v1' })).toBe(usualDialect);
});
