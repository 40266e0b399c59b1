import { createHash } from 'node:crypto';
import type { ChatRequest } from './chat-request.ts';
import type { ScriptedAnswer } from './rules.ts';

/** The body of a chat completion. Equal requests give equal bodies, id and usage included. */
export function completionOf(request: ChatRequest, { text, toolCalls, finishReason }: ScriptedAnswer) {
  const id = createHash('sha256')
    .update(JSON.stringify([request.model, request.messages]))
    .digest('hex')
    .slice(0, 24);
  const calls = toolCalls.map(({ name, arguments: given }, index) => ({
    id: `call_${id.slice(0, 8)}_${index}`,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(given) },
  }));
  const message = {
    role: 'assistant' as const,
    content: calls.length > 0 ? null : text,
    refusal: null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return {
    id: `chatcmpl-${id}`,
    object: 'chat.completion' as const,
    created: 1_700_000_000,
    model: request.model,
    system_fingerprint: 'scripted',
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
    usage: usageOf(request, `${text}${JSON.stringify(toolCalls)}`),
  };
}

type Completion = ReturnType<typeof completionOf>;

/** The same answer as server-sent events: role, content word by word, arguments in halves, end, and usage where it is asked for. */
export function eventsOf({ id, created, model, choices, usage }: Completion, withUsage: boolean): string {
  const choice = choices[0];
  const head = { id, object: 'chat.completion.chunk', created, model };
  const chunk = (delta: object, finish_reason: string | null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason }],
    ...(withUsage ? { usage: null } : {}),
  });
  const chunks = [
    chunk({ role: 'assistant', content: '' }, null),
    ...(choice?.message.content?.match(/\s*\S+\s*/g) ?? []).map((content) => chunk({ content }, null)),
    ...(choice?.message.tool_calls ?? [])
      .flatMap(fragmentsOf)
      .map((fragment) => chunk({ tool_calls: [fragment] }, null)),
    chunk({}, choice?.finish_reason ?? 'stop'),
    ...(withUsage ? [{ ...head, choices: [], usage }] : []),
  ];
  return [...chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`), 'data: [DONE]\n\n'].join('');
}

type Call = NonNullable<NonNullable<Completion['choices'][0]>['message']['tool_calls']>[number];

function fragmentsOf({ id, type, function: { name, arguments: given } }: Call, index: number): object[] {
  const half = Math.ceil(given.length / 2);
  return [
    { index, id, type, function: { name, arguments: '' } },
    { index, function: { arguments: given.slice(0, half) } },
    { index, function: { arguments: given.slice(half) } },
  ];
}

// Four characters to a token, as a rule of thumb; what matters is that equal texts cost the same.
function usageOf(request: ChatRequest, answer: string) {
  const prompt_tokens = Math.ceil(request.messages.reduce((sum, { content }) => sum + content.length, 0) / 4);
  const completion_tokens = Math.ceil(answer.length / 4);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
