import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { CallResult, ChatAnswer, ChatRequest, ModelPort } from '../models/model-port.ts';
import type { CallFailure } from '../retry/call-failure.ts';

/** What a scripted judge does with one request: answers, fails, or never comes back. */
export type JudgeMove = { answer: Partial<ChatAnswer> } | { failure: CallFailure } | 'hang';

export interface JudgeRequest {
  settings: ModelSettings;
  system: string;
  user: string;
  request: ChatRequest;
}

interface ScriptedJudge {
  models: ModelPort;
  /** Every request so far. */
  requests: JudgeRequest[];
}

export const judgeModel: ModelSettings = { configuration: 'judge', provider: 'openai', model: 'judge-1' };

/** An answer with this text, or with this object as JSON. */
export const says = (said: string | object, answer: Partial<ChatAnswer> = {}): JudgeMove => ({
  answer: { text: typeof said === 'string' ? said : JSON.stringify(said), ...answer },
});

/** A provider that is down for one call. */
export const isDown: JudgeMove = {
  failure: { kind: 'agent', message: 'the provider is down', retryable: true, retryAfterMs: null },
};

/** A judge for tests that follows `move`; embeddings are a vector of letter counts. */
export function scriptedJudge(move: (request: JudgeRequest, call: number) => JudgeMove): ScriptedJudge {
  const requests: JudgeRequest[] = [];
  const models: ModelPort = {
    async chat(settings, request, signal) {
      const seen = { settings, request, system: textOf(request, 'system'), user: textOf(request, 'user') };
      requests.push(seen);
      const made = move(seen, requests.length);
      return made === 'hang' ? await untilAborted(signal) : asAnswer(made);
    },
    async embed(_settings, inputs) {
      return { ok: true, value: { vectors: inputs.map(letterCounts), usage: null } };
    },
  };
  return { models, requests };
}

/** What stands between the markers of a request, by title. */
export function blocksOf({ user }: Pick<JudgeRequest, 'user'>): Map<string, string> {
  const found = user.matchAll(/(?:^|\n\n)([^\n]+):\n<data ([0-9a-f]{32})>\n([\s\S]*?)\n<\/data \2>/g);
  return new Map([...found].map(([, title = '', , text = '']) => [title, text]));
}

function asAnswer(move: Exclude<JudgeMove, 'hang'>): CallResult<ChatAnswer> {
  if ('failure' in move) return { ok: false, failure: move.failure };
  return { ok: true, value: { text: '', calls: [], usage: null, model: 'judge-1', flags: [], ...move.answer } };
}

const textOf = ({ messages }: ChatRequest, role: 'system' | 'user'): string =>
  messages.flatMap((message) => (message.role === role ? [message.content] : [])).join('\n');

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function letterCounts(text: string): number[] {
  return Array.from('abcdefghijklmnopqrstuvwxyz', (letter) => text.toLowerCase().split(letter).length - 1);
}
