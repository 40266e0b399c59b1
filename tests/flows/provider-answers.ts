import type { ServerResponse } from 'node:http';

export type Answer = (response: ServerResponse, call: { earlier: number; body: string }) => void;

/** How a test run that meets a fault must end. */
export type Expected =
  | { status: 'passed'; flags?: string[] }
  | { status: 'error'; errorKind: 'agent' | 'timeout' | 'limit'; message: RegExp };

export interface Fault {
  answer: Answer;
  expected: Expected;
  /** How often the provider is asked. */
  calls: number;
  /** Whether it is asked for a stream. */
  isStream?: true;
}

/** What answers in one piece are. */
export const json = { 'content-type': 'application/json' };
export const send = (body: unknown, status = 200, headers: Record<string, string> = {}): Answer => {
  const sent = typeof body === 'string' ? body : JSON.stringify(body);
  return (response) => void response.writeHead(status, { ...json, ...headers }).end(sent);
};

export const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };
export const completion = (message: object, finish_reason = 'stop') => ({
  id: 'c1',
  object: 'chat.completion',
  model: 'served',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
  usage,
});
export const good = send(completion({ content: 'We close at 17.' }));
export const scripted = (status: number, headers: Record<string, string> = {}): Answer =>
  send({ error: { message: `scripted ${status}`, type: 'error', code: null } }, status, headers);
export const error = (errorKind: 'agent' | 'timeout' | 'limit', message: RegExp): Expected => ({
  ...{ status: 'error', errorKind, message },
});
export const tried = /^Failed after 3 attempts: /;
