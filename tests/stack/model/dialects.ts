import { z } from 'zod';
import type { ChatRequest } from './chat-request.ts';
import type { completionOf } from './completion.ts';

type Completion = ReturnType<typeof completionOf>;

/** An error status and the body that comes with it. */
export interface ServerRefusal {
  status: number;
  body: unknown;
}

/**
 * How the servers of one family differ from the obliging one: what they refuse, and in which words; and how their models
 * write what they were asked for. After what users and vendors report, as far as a judge meets it.
 */
export interface ServerDialect {
  /** How it writes its answers, for the page about models; absent: as it was asked to. */
  manner?: string;
  /** Where that is known from. */
  source: 'documentation' | 'reports' | 'both' | 'none';
  refuses?: (request: ChatRequest) => ServerRefusal | undefined;
  /** What becomes of the text that a judge or a simulator was to write. */
  writes?: (text: string, request: ChatRequest) => string;
  /** What becomes of the whole body. */
  answers?: (completion: Completion, request: ChatRequest) => unknown;
}

const Form = z.object({ response_format: z.object({ type: z.string() }) });

/** The form that an answer is asked for in; undefined: in none. */
const formOf = (request: ChatRequest): string | undefined => Form.safeParse(request).data?.response_format.type;
const saysJson = ({ messages }: ChatRequest): boolean => messages.some(({ content }) => /json/i.test(content));

const openAiError = (status: number, message: string, more: object = {}): ServerRefusal => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param: null, code: null, ...more } },
});

/** The first refusal of the list that is one. */
const firstOf =
  (...rules: NonNullable<ServerDialect['refuses']>[]): NonNullable<ServerDialect['refuses']> =>
  (request) => {
    for (const rule of rules) {
      const refusal = rule(request);
      if (refusal) return refusal;
    }
    return undefined;
  };

const oneTemperature = (request: ChatRequest): ServerRefusal | undefined =>
  request.temperature === undefined || request.temperature === 1
    ? undefined
    : openAiError(
        400,
        `Unsupported value: 'temperature' does not support ${JSON.stringify(request.temperature)} with this model. Only the default (1) value is supported.`,
        { param: 'temperature', code: 'unsupported_value' },
      );

const completionTokensOnly = (request: ChatRequest): ServerRefusal | undefined =>
  request.max_tokens === undefined
    ? undefined
    : openAiError(
        400,
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        { param: 'max_tokens', code: 'unsupported_parameter' },
      );

const jsonInPrompt = (request: ChatRequest): ServerRefusal | undefined =>
  formOf(request) === 'json_object' && !saysJson(request)
    ? openAiError(
        400,
        "Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'.",
      )
    : undefined;

/** Refuses one form of answers in these words. */
const noForm =
  (form: string, refusal: ServerRefusal) =>
  (request: ChatRequest): ServerRefusal | undefined =>
    formOf(request) === form ? refusal : undefined;

const unknownField =
  (field: string, refusal: ServerRefusal) =>
  (request: ChatRequest): ServerRefusal | undefined =>
    field in request ? refusal : undefined;

const forbidden = (field: string): ServerRefusal => ({
  status: 422,
  body: {
    object: 'error',
    message: {
      detail: [{ type: 'extra_forbidden', loc: ['body', field], msg: 'Extra inputs are not permitted', input: 0 }],
    },
  },
});

/** Thoughts cost tokens: whoever is given few has none left for a word. */
const thinksAtLength: NonNullable<ServerDialect['answers']> = (completion, request) => {
  const limit = Number(request.max_completion_tokens ?? Number.POSITIVE_INFINITY);
  if (formOf(request) === undefined || limit > 1_500) return completion;
  const [choice] = completion.choices;
  return {
    ...completion,
    choices: [{ ...choice, message: { ...choice?.message, content: '' }, finish_reason: 'length' }],
  };
};

const chatty = (text: string): string =>
  `Sure! Here is my answer:\n\n${text}\n\nLet me know if you need anything else.`;
const fenced = (text: string): string => `\`\`\`json\n${text}\n\`\`\``;

export const serverDialects = {
  'OpenAI gpt-4o': { source: 'documentation' },
  'OpenAI o-series, gpt-5': {
    manner: 'thoughts use up a low token limit',
    source: 'both',
    refuses: firstOf(oneTemperature, completionTokensOnly),
    answers: thinksAtLength,
  },
  'OpenAI gpt-4-turbo, gpt-3.5': {
    source: 'reports',
    refuses: firstOf(
      noForm(
        'json_schema',
        openAiError(
          400,
          "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model. Learn more about supported models at the Structured Outputs guide",
        ),
      ),
      jsonInPrompt,
    ),
  },
  'Azure OpenAI, older API version': {
    source: 'reports',
    refuses: firstOf(
      noForm(
        'json_schema',
        openAiError(
          400,
          'response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later',
          {
            code: 'BadRequest',
          },
        ),
      ),
      jsonInPrompt,
    ),
  },
  'Anthropic, compatible interface': {
    manner: 'accepts a schema and does not keep to it: prose around a fence',
    source: 'documentation',
    writes: (text) => chatty(fenced(text)),
  },
  'Anthropic, newest models': {
    manner: 'accepts a schema and does not keep to it: prose',
    source: 'reports',
    refuses: unknownField('temperature', openAiError(400, '`temperature` is deprecated for this model.')),
    writes: chatty,
  },
  'Google Gemini, compatible interface': {
    source: 'reports',
    refuses: unknownField('seed', {
      status: 400,
      body: [
        {
          error: {
            code: 400,
            message: 'Invalid JSON payload received. Unknown name "seed": Cannot find field.',
            status: 'INVALID_ARGUMENT',
          },
        },
      ],
    }),
  },
  Mistral: {
    manner: 'thoughts in parts of their own',
    source: 'both',
    refuses: firstOf(
      unknownField('seed', forbidden('seed')),
      unknownField('max_completion_tokens', forbidden('max_completion_tokens')),
    ),
    answers: (completion) => {
      const [choice] = completion.choices;
      if (typeof choice?.message.content !== 'string') return completion;
      const content = [
        { type: 'thinking', thinking: [{ type: 'text', text: 'Let me see.' }] },
        { type: 'text', text: choice.message.content },
      ];
      return { ...completion, choices: [{ ...choice, message: { ...choice.message, content } }] };
    },
  },
  'Groq, models without schemas': {
    source: 'documentation',
    refuses: noForm(
      'json_schema',
      openAiError(
        400,
        'This model does not support response format `json_schema`. See supported models in the documentation',
      ),
    ),
  },
  DeepSeek: {
    source: 'reports',
    refuses: firstOf(
      noForm('json_schema', openAiError(400, 'This response_format type is unavailable now')),
      jsonInPrompt,
      unknownField('tool_choice', openAiError(400, 'Thinking mode does not support this tool_choice')),
    ),
  },
  xAI: {
    source: 'both',
    refuses: unknownField('seed', {
      status: 400,
      body: { code: 'Client specified an invalid argument', error: 'Argument not supported on this model: seed' },
    }),
  },
  'Moonshot Kimi': {
    source: 'reports',
    refuses: (request) =>
      request.temperature === undefined || request.temperature === 1
        ? undefined
        : openAiError(400, 'invalid temperature: only 1 is allowed for this model'),
  },
  'OpenRouter, with require_parameters': {
    source: 'reports',
    refuses: (request) =>
      formOf(request) === 'json_schema'
        ? openAiError(404, 'No endpoints found that can handle the requested parameters.', { code: 404 })
        : undefined,
  },
  'vLLM, thoughts in the text': {
    manner: 'thoughts before the text',
    source: 'documentation',
    writes: (text) => `<think>\nThe scale … {"score": 0} … no.\n</think>\n\n${text}`,
  },
  'Ollama, models of its cloud': {
    manner: 'accepts a schema and does not keep to it: a greeting',
    source: 'documentation',
    writes: (text) => `Here is the JSON you asked for: ${text}`,
  },
  'LM Studio': {
    source: 'reports',
    refuses: noForm('json_object', {
      status: 400,
      body: { error: "'response_format.type' must be 'json_schema' or 'text'" },
    }),
  },
  'llama.cpp and other small servers': {
    manner: 'numbers as text, keys of its own',
    source: 'documentation',
    refuses: noForm('json_schema', { status: 400, body: { error: 'json_schema is not supported' } }),
    // Numbers as texts, and a key that nobody asked for.
    writes: (text) =>
      text.replaceAll(/"(score|number)":\s*(\d+)/g, '"$1":"$2"').replace(/\}\s*$/, ',"confidence":0.9}'),
  },
  'a server that knows no form at all': {
    manner: 'thinks aloud, then a fence',
    source: 'none',
    refuses: (request) =>
      formOf(request) === undefined
        ? undefined
        : openAiError(400, 'Unrecognized request argument supplied: response_format'),
    writes: (text) => `Let me think about it.\n\n${fenced(text)}`,
  },
} as const satisfies Record<string, ServerDialect>;

export type DialectName = keyof typeof serverDialects;
