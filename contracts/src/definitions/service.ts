import { z } from 'zod';
import { ModelLimits } from './ai-configuration.ts';
import { AnswerPath } from './json-path.ts';
import { FreeForm, HttpUrl, JsonData, refusal } from './texts.ts';

/** A line break would begin a header of somebody else's choice. */
const isHeaderText = (text: string): boolean => !/[^\t\x20-\x7e\xa0-\xff]/.test(text);

const HeaderText = z
  .string()
  .max(8_000)
  .refine(
    isHeaderText,
    refusal('invalid_format', 'must be one line of plain characters: a line break would begin another header'),
  );

/** Whether a text that was put together may be sent as the value of a header. */
export const fitsHeader = (text: string): boolean => text.length <= 8_000 && isHeaderText(text);

/** Headers that the connection or the kind of body decides. */
const ownHeaders = new Set([
  ...['host', 'content-length', 'content-type', 'transfer-encoding', 'connection', 'keep-alive', 'upgrade', 'te'],
  ...['trailer', 'expect', 'accept', 'accept-encoding', 'proxy-authorization', 'proxy-connection'],
]);

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;

/** Names that usually carry a secret. An address is written down in logs on its whole way, so it must hold none. */
const secretName =
  /^(?:api[_-]?key|x[_-]api[_-]key|(?:access|auth|id|bearer)?[_-]?token|key|(?:client[_-]?)?secret|password|passwd|pwd|sig|signature)$/i;
const noSecretInUrl = (what: string) =>
  refusal(
    'forbidden_field',
    `${what}: an address is kept in logs on its way`,
    'Send it in `headers`: { from_env: NAME }.',
  );

const EnvName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]*$/, 'must be the name of an environment variable, such as SHOP_TOKEN');

/** The name of a variable where cases run; its value is in no file, task or result. */
export const SecretName = z.strictObject({
  from_env: EnvName.describe('Name of the variable with the secret, where cases run.'),
});

const sources = ['from_env', '$from', '$concat'] as const;

const sourceKeys = {
  $from: z.string().min(1).optional().describe('Takes up a value: input, session, conversation_id, variables.NAME …'),
  $concat: z.array(JsonData).min(1).optional().describe('Texts and { $from: … }, joined.'),
};

/** Where the value of a header comes from when it is no plain text. */
const HeaderSource = z
  .strictObject({
    from_env: EnvName.optional().describe('Name of the variable with the secret, where cases run.'),
    prefix: HeaderText.optional().describe('What stands before the secret, such as "Bearer ".'),
    encode: z.literal('base64').optional().describe('base64 for a secret such as user:password.'),
    ...sourceKeys,
  })
  .refine(
    (value) => sources.filter((key) => value[key] !== undefined).length === 1,
    refusal('invalid_value', 'needs one of from_env, $from and $concat'),
  )
  .refine(
    ({ from_env, prefix, encode }) => from_env !== undefined || (prefix ?? encode) === undefined,
    refusal('invalid_value', '`prefix` and `encode` go with `from_env`'),
  );

export const HeaderValue = z.union([HeaderText, HeaderSource]);
export type HeaderValue = z.infer<typeof HeaderValue>;

export const Headers = z
  .record(z.string(), HeaderValue)
  .superRefine((headers, context) => {
    for (const name of Object.keys(headers)) {
      const refuse = (message: string): void =>
        context.addIssue({ code: 'custom', path: [name], message, params: { code: 'invalid_format' } });
      if (!headerName.test(name)) refuse('the name is none that a header can have');
      else if (ownHeaders.has(name.toLowerCase())) refuse('is a header that the request decides itself');
    }
  })
  .describe('Headers of each request: texts, { from_env: NAME } for secrets, { $from: path } for values.');
export type Headers = z.infer<typeof Headers>;

const QuerySource = z
  .strictObject({ ...sourceKeys, from_env: z.unknown().optional().meta({ not: {} }) })
  .refine(({ from_env }) => from_env === undefined, noSecretInUrl('must hold no secret'))
  .refine(
    (value) => sources.filter((key) => value[key] !== undefined).length === 1,
    refusal('invalid_value', 'needs one of $from and $concat'),
  );

const Query = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), QuerySource]))
  .superRefine((query, context) => {
    for (const name of Object.keys(query).filter((one) => secretName.test(one)))
      context.addIssue({ code: 'custom', path: [name], ...asIssue(noSecretInUrl('looks like a secret')) });
  });

/** An address without user, password or anything that is named like a secret. */
const ServiceUrl = HttpUrl.superRefine((text, context) => {
  if (!URL.canParse(text)) return;
  const url = new URL(text);
  const refuse = (what: string): void => context.addIssue({ code: 'custom', ...asIssue(noSecretInUrl(what)) });
  if (url.username !== '' || url.password !== '') refuse('must hold no user and no password');
  for (const name of url.searchParams.keys())
    if (secretName.test(name)) refuse(`must hold no secret, and \`${name}\` looks like one`);
});

const asIssue = ({ error, params }: ReturnType<typeof refusal>) => ({ message: error, params });

/** A place of the same service: a path, or an address of the same origin. */
const ServicePlace = z
  .string()
  .min(1)
  .max(2_000)
  .describe('Path from the root of the service, or its whole address; {session} and the like take up a value.');

const SessionSource = z
  .strictObject({
    path: AnswerPath.optional().describe('Where in the answer the key of the session stands.'),
    header: z.string().min(1).optional().describe('Name of the header of the answer that holds it.'),
    cookie: z
      .string()
      .min(1)
      .optional()
      .describe('Name of the cookie that holds it; all cookies go back with the next turn.'),
    first: JsonData.optional().describe('What session is in the first turn; null unless set.'),
    create: z
      .strictObject({
        url: ServicePlace,
        body: JsonData.optional().describe('The body; {} unless set.'),
        path: AnswerPath.describe('Where in the answer the key of the session stands.'),
      })
      .optional()
      .describe('A call that makes the session before the first turn.'),
  })
  .refine(
    ({ path, header, cookie, create }) => [path, header, cookie, create].some((one) => one !== undefined),
    refusal('required', 'needs path, header, cookie or create'),
  );

/** How a service that speaks no protocol of ours is asked and understood. Data, not code. */
export const ServiceMapping = z.strictObject({
  request: JsonData.optional().describe(
    'The body of each request, with { $from: path } for input, session, turn, history, messages, ui_messages, message_id, conversation_id, seed, variables, instructions, tools and files.',
  ),
  response: z
    .union([AnswerPath, z.array(AnswerPath).min(1).max(10)])
    .optional()
    .describe(
      'Where in the answer the text of the agent stands: reply.text. Of several paths the first that holds a text.',
    ),
  join: z
    .string()
    .max(100)
    .optional()
    .describe('What stands between several texts, as of parts[*].text; a line break unless set.'),
  error: AnswerPath.optional().describe(
    'Where an answer of status 200 tells of an error; nothing, null, false and "" are none.',
  ),
  tool_calls: z
    .strictObject({
      path: AnswerPath.describe('Where in the answer the list of calls stands.'),
      name: AnswerPath.default('name').describe('Where in a call the name of the tool stands.'),
      args: AnswerPath.default('args').describe(
        'Where in a call its arguments stand, as a mapping or as JSON in a text.',
      ),
      result: AnswerPath.default('result').describe('Where in a call its result stands.'),
      id: AnswerPath.optional().describe(
        'Where in a call its id stands: a call that an earlier turn told is not counted again.',
      ),
      results: z
        .strictObject({
          path: AnswerPath.describe('Where in the answer the list of results stands.'),
          id: AnswerPath.describe('Where in a result the id of its call stands.'),
          result: AnswerPath.describe('Where in a result its value stands.'),
        })
        .optional()
        .describe('Where results stand when they are not in the calls.'),
    })
    .optional()
    .describe('Where the service tells which tools it called.'),
  session: z
    .union([AnswerPath, SessionSource])
    .optional()
    .describe('Where in the answer the key of the session stands; sent back as session.'),
  ended: AnswerPath.optional().describe('Where in the answer stands whether the agent ends the conversation.'),
  usage: z
    .strictObject({
      prompt_tokens: AnswerPath.describe('Where in the answer the number of prompt tokens stands.'),
      completion_tokens: AnswerPath.describe('Where in the answer the number of completion tokens stands.'),
    })
    .optional()
    .describe('Where the service tells what it used.'),
  cost_usd: AnswerPath.optional().describe('Where in the answer stands what the turn cost, in US dollars.'),
  model: AnswerPath.optional().describe('Where in the answer the name of the model stands.'),
});
export type ServiceMapping = z.infer<typeof ServiceMapping>;

const StateWords = z.strictObject({
  path: AnswerPath.describe('Where in the answer the state stands.'),
  in: z
    .array(z.union([z.string(), z.number(), z.boolean()]))
    .min(1)
    .describe('The states that are meant.'),
});

const Poll = z.strictObject({
  url: ServicePlace.describe('Where the state is asked for; {start.run_id} takes up a value of the first answer.'),
  body: JsonData.optional().describe('The body of a POST; a GET unless set.'),
  while: StateWords.describe('The answer is not there as long as the state is one of these.'),
  failed: StateWords.optional().describe('The agent failed when the state is one of these.'),
  every_ms: z.int().min(50).max(60_000).default(1_000).describe('Pause before each question.'),
  result: ServicePlace.optional().describe(
    'Where the answer is fetched from in the end; the last state is the answer unless set.',
  ),
});

/** The deltas of common protocols, put together to one answer; `mapping` reads that. */
const Stream = z
  .strictObject({
    format: z
      .enum(['ui-message', 'openai', 'sse', 'ndjson', 'text'])
      .describe(
        'ui-message of the Vercel AI SDK, openai chat chunks, sse or ndjson with a text in each event, text as it comes.',
      ),
    text: AnswerPath.optional().describe('sse, ndjson: where in an event its piece of text stands.'),
  })
  .refine(
    ({ format, text }) => (format === 'sse' || format === 'ndjson') === (text !== undefined),
    refusal('required', 'sse and ndjson need `text`, the other formats have none'),
  );

/** A token that is fetched with the credentials of a client; asked for again before it ends. */
const OAuth = z.strictObject({
  token_url: ServiceUrl.describe('Where the token is fetched.'),
  client_id: z.union([HeaderText, SecretName]).describe('The client: a text, or { from_env: NAME }.'),
  client_secret: SecretName.describe('Its secret: { from_env: NAME }, which may go to both origins.'),
  scope: z.string().max(2_000).optional().describe('The scopes, separated by spaces.'),
  audience: z.string().max(2_000).optional().describe('The audience, where the server wants one.'),
});

/** Certificates in PEM, from the environment of whoever runs the cases. */
const Tls = z.strictObject({
  ca: SecretName.optional().describe('The private authority that the certificate of the service comes from.'),
  cert: SecretName.optional().describe('The certificate of the client.'),
  key: SecretName.optional().describe('Its private key.'),
});

export const presetNames = ['langgraph', 'vercel-ui', 'a2a', 'dify', 'rasa', 'openai-chat'] as const;

export const HttpDriver = z
  .strictObject({
    type: z.literal('http').describe("The team's own service."),
    url: ServiceUrl.describe('Where turns are posted to; with a preset, the root of the service.'),
    base_endpoint: ServiceUrl.optional().describe('The same for the agent of the base, in comparisons.'),
    preset: z
      .enum(presetNames)
      .optional()
      .describe('The protocol of a known server; single keys beside it replace its own.'),
    method: z.enum(['POST', 'PUT', 'PATCH', 'GET']).optional().describe('POST unless set; a GET has no body.'),
    headers: Headers.optional(),
    query: Query.optional().describe('What stands behind the ? of the address: texts, or { $from: path }.'),
    body: FreeForm.optional().describe('Further keys of the body, such as assistant_id.'),
    body_format: z.enum(['json', 'form']).optional().describe('json unless set.'),
    mapping: ServiceMapping.optional().describe('For a service that does not speak proofmark.agent/1.'),
    stream: Stream.optional().describe('For a service that streams its answer.'),
    poll: Poll.optional().describe('For a service that is asked for its answer again and again.'),
    oauth: OAuth.optional().describe('A token by client credentials, sent as Authorization: Bearer.'),
    tls: Tls.optional().describe('Certificates beside the public ones.'),
    limits: ModelLimits.optional().describe(
      'How often the service may be called; as often as there are turns unless set.',
    ),
  })
  .superRefine((driver, context) => {
    const { preset, mapping } = driver;
    const need = (path: string[], message: string): void =>
      context.addIssue({ code: 'custom', path, message, params: { code: 'required' } });
    if (preset !== undefined) return;
    if (mapping !== undefined) {
      if (mapping.request === undefined && driver.method !== 'GET')
        need(['mapping', 'request'], '`request` is missing');
      if (mapping.response === undefined) need(['mapping', 'response'], '`response` is missing');
      return;
    }
    for (const key of ['stream', 'poll', 'body', 'body_format', 'method'] as const)
      if (driver[key] !== undefined) need([key], `\`${key}\` needs a \`mapping\` or a \`preset\` beside it`);
  });
export type HttpDriver = z.infer<typeof HttpDriver>;
