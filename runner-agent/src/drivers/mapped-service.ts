import { randomUUID } from 'node:crypto';
import type { JsonValue } from '@proofmark/contracts/canonical-json';
import type { ServiceMapping } from '@proofmark/contracts/service';
import type { Service } from '@proofmark/contracts/service-presets';
import { pause } from '@proofmark/process/pause';
import type { CallResult } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import type { AgentTurn, Attachments, Conversation, ConversationContext } from './agent-driver.ts';
import type { AgentReach, FilledHeader, ServiceCall, ServiceReply } from './agent-reach.ts';
import { valueIn } from './find-in-answer.ts';
import { readJsonReply } from './own-agents.ts';
import { readServiceAnswer } from './read-service-answer.ts';
import { fillBody, fillRequest } from './service-request.ts';
import { asSent } from './speak-protocol.ts';
import { gatherStream } from './streamed-answer.ts';

type Roots = Record<string, JsonValue>;

interface Utterance {
  [key: string]: JsonValue;
  role: 'user' | 'assistant';
  content: string;
}

/** What goes on from turn to turn. A failed try changes nothing of it. */
interface Kept {
  conversationId: string;
  session: JsonValue;
  turn: number;
  history: readonly Utterance[];
  cookies: ReadonlyMap<string, string>;
  /** Ids of calls that earlier turns have told. */
  toldCalls: ReadonlySet<string>;
}

const mostCookies = 50;
const longestCookie = 4_096;

/** A service that exists already, asked and understood by a mapping. What it keeps of a conversation hangs on its session key. */
export function openService(
  service: Service,
  mapping: ServiceMapping,
  { context, reach }: { context: ConversationContext; reach: AgentReach },
): Conversation {
  const first = typeof mapping.session === 'object' ? (mapping.session.first ?? null) : null;
  let kept: Kept = {
    ...{ conversationId: randomUUID(), session: first, turn: 0, history: context.work.case.messages ?? [] },
    ...{ cookies: new Map(), toldCalls: new Set() },
  };
  const asking: Asking = { service, mapping, reach };
  return {
    async turn(input, signal, attachments): Promise<CallResult<AgentTurn>> {
      const begun = await beginSession(asking, rootsOf(context, kept, { input, attachments }), { kept, signal });
      if (!begun.ok) return begun;
      kept = begun.value;
      const roots = rootsOf(context, kept, { input, attachments });
      const answered = await ask(asking, roots, { kept, signal });
      if (!answered.ok) return answered;
      const { answer, reply } = answered.value;
      const read = readServiceAnswer(mapping, answer);
      if (!read.ok) return read;
      const { turn, calls } = read.value;
      const fresh = calls.filter(({ id }) => id === '' || !kept.toldCalls.has(id));
      const cookies = keepsCookies(mapping) ? withCookies(kept.cookies, reply.cookies) : kept.cookies;
      kept = {
        ...kept,
        session: sessionIn(mapping, answer, { reply, cookies }) ?? kept.session,
        turn: kept.turn + 1,
        history: [...kept.history, ...said(input, turn)],
        cookies,
        toldCalls: new Set([...kept.toldCalls, ...fresh.map(({ id }) => id)]),
      };
      for (const call of fresh) context.tools.report(call);
      return { ok: true, value: turn };
    },
    async close() {
      // The service keeps its sessions as long as it likes.
    },
  };
}

interface Asking {
  service: Service;
  mapping: ServiceMapping;
  reach: AgentReach;
}

interface Within {
  kept: Kept;
  signal: AbortSignal;
}

/** One turn: the request, and where the service wants it so, question after question until its answer is there. */
async function ask(
  { service, mapping, reach }: Asking,
  roots: Roots,
  { kept, signal }: Within,
): Promise<CallResult<{ answer: JsonValue; reply: ServiceReply }>> {
  const { method = 'POST', place, stream } = service;
  const body =
    mapping.request === undefined || method === 'GET' ? undefined : fillBody(mapping.request, service, roots);
  if (body && !body.ok) return body;
  const request = fillRequest(service, { place, body: body?.value, method, isTurn: true }, roots);
  if (!request.ok) return request;
  const replied = await reach.call(withCookieHeader(request.value, kept.cookies), signal);
  if (!replied.ok) return replied;
  const reply = replied.value;
  const start = stream ? readStream(stream, reply) : readJsonReply(reply);
  if (!start.ok || service.poll === undefined)
    return start.ok ? { ok: true, value: { answer: start.value, reply } } : start;
  const polled = await poll({ service, reach, poll: service.poll }, { ...roots, start: start.value }, { kept, signal });
  return polled.ok ? { ok: true, value: { answer: polled.value, reply } } : polled;
}

function readStream(stream: NonNullable<Service['stream']>, reply: ServiceReply): CallResult<JsonValue> {
  if (/^application\/(?:[\w.-]+\+)?json\b/i.test(reply.contentType) && stream.format !== 'ndjson')
    return refused(`The service answered ${reply.contentType} instead of a stream`);
  return gatherStream(stream, reply.text);
}

interface Polling extends Pick<Asking, 'service' | 'reach'> {
  poll: NonNullable<Service['poll']>;
}

/** Asks for the state as long as the answer is not there; the time limit of the turn ends it. */
async function poll(
  { service, reach, poll: rules }: Polling,
  roots: Roots,
  { kept, signal }: Within,
): Promise<CallResult<JsonValue>> {
  const fetch = async (place: string, body?: JsonValue): Promise<CallResult<JsonValue>> => {
    const filled = body === undefined ? undefined : fillBody(body, { ...service, body: undefined }, roots);
    if (filled && !filled.ok) return filled;
    const wanted = { body: filled?.value, method: filled ? ('POST' as const) : ('GET' as const), isTurn: false };
    const request = fillRequest({ ...service, body_format: 'json' }, { place, ...wanted }, roots);
    if (!request.ok) return request;
    const replied = await reach.call(withCookieHeader(request.value, kept.cookies), signal);
    return replied.ok ? readJsonReply(replied.value) : replied;
  };
  let state = roots.start ?? null;
  while (isOneOf(rules.while, state)) {
    await pause(rules.every_ms, signal);
    const asked = await fetch(rules.url, rules.body as JsonValue | undefined); // read from a file of JSON or YAML
    if (!asked.ok) return asked;
    state = asked.value;
  }
  if (rules.failed && isOneOf(rules.failed, state))
    return refused(`The service failed: ${rules.failed.path} is ${JSON.stringify(valueIn(rules.failed.path, state))}`);
  return rules.result === undefined ? { ok: true, value: state } : await fetch(rules.result);
}

const isOneOf = ({ path, in: words }: { path: string; in: readonly unknown[] }, state: JsonValue): boolean =>
  words.includes(valueIn(path, state));

/** A session that the service makes before the first turn. */
async function beginSession(
  { service, mapping, reach }: Asking,
  roots: Roots,
  { kept, signal }: Within,
): Promise<CallResult<Kept>> {
  const create = typeof mapping.session === 'object' ? mapping.session.create : undefined;
  if (create === undefined || (kept.session !== null && kept.session !== '')) return { ok: true, value: kept };
  const body = fillBody((create.body ?? {}) as JsonValue, { ...service, body: undefined }, roots); // read from a file
  if (!body.ok) return body;
  const wanted = { place: create.url, body: body.value, method: 'POST' as const, isTurn: false };
  const request = fillRequest({ ...service, body_format: 'json' }, wanted, roots);
  if (!request.ok) return request;
  const replied = await reach.call(request.value, signal);
  if (!replied.ok) return replied;
  const answer = readJsonReply(replied.value);
  if (!answer.ok) return answer;
  const session = valueIn(create.path, answer.value);
  if (session === undefined || session === null)
    return refused(`The answer of ${create.url} has no session at ${create.path}`);
  const cookies = keepsCookies(mapping) ? withCookies(kept.cookies, replied.value.cookies) : kept.cookies;
  return { ok: true, value: { ...kept, session, cookies } };
}

function sessionIn(
  { session }: ServiceMapping,
  answer: JsonValue,
  { reply, cookies }: { reply: ServiceReply; cookies: ReadonlyMap<string, string> },
): JsonValue | undefined {
  if (typeof session !== 'object') return valueIn(session, answer);
  const fromHeader = session.header === undefined ? undefined : (reply.header(session.header) ?? undefined);
  const fromCookie = session.cookie === undefined ? undefined : cookies.get(session.cookie);
  return valueIn(session.path, answer) ?? fromHeader ?? fromCookie;
}

/** Only a service that keeps its session in a cookie gets any back. */
const keepsCookies = ({ session }: ServiceMapping): boolean =>
  typeof session === 'object' && session.cookie !== undefined;

/** Those known and those that were set; what no header could carry is not kept. */
function withCookies(known: ReadonlyMap<string, string>, set: readonly string[]): ReadonlyMap<string, string> {
  const cookies = new Map(known);
  for (const cookie of set) {
    const at = cookie.indexOf('=');
    if (at < 1 || cookie.length > longestCookie || /[^\x21-\x7e ]/.test(cookie)) continue;
    cookies.set(cookie.slice(0, at).trim(), cookie.slice(at + 1).trim());
    if (cookies.size > mostCookies) cookies.delete(cookies.keys().next().value ?? '');
  }
  return cookies;
}

function withCookieHeader(request: ServiceCall, cookies: ReadonlyMap<string, string>): ServiceCall {
  if (cookies.size === 0) return request;
  const text = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const isGiven = request.headers.some(([name]) => name.toLowerCase() === 'cookie');
  const cookie: [string, FilledHeader] = ['cookie', text];
  return isGiven ? request : { ...request, headers: [...request.headers, cookie] };
}

/** What a template may take up. */
function rootsOf(
  { work }: ConversationContext,
  { conversationId, session, turn, history }: Kept,
  { input, attachments }: { input: string; attachments: Attachments | undefined },
): Roots {
  const { agent, resolvedVariables, seed } = work;
  const tools = agent.tools as unknown as JsonValue; // read from a file of JSON or YAML
  const files = (attachments?.files ?? []).map(asSent) as unknown as JsonValue; // facts that are stored as JSON
  const variables = resolvedVariables.values as JsonValue;
  const messages: Utterance[] = [...history, { role: 'user', content: input }];
  const idOf = (place: number): string => `${conversationId}-${place}`;
  return {
    ...{ input, session, turn, conversation_id: conversationId, seed, variables, tools, files },
    ...{ instructions: agent.instructions, history: [...history], messages, message_id: idOf(history.length) },
    ui_messages: messages.map(({ role, content }, place) => ({
      ...{ id: idOf(place), role },
      parts: [{ type: 'text', text: content }],
    })),
  };
}

const said = (input: string, { text }: AgentTurn): Utterance[] => [
  { role: 'user', content: input },
  { role: 'assistant', content: text },
];

const refused = (message: string): { ok: false; failure: ReturnType<typeof finalFailure> } => ({
  ok: false,
  failure: finalFailure('agent', message),
});
