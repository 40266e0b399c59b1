import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { ToolCall } from '@proofmark/contracts/case-outcome';
import type { ResolvedVariables } from '@proofmark/contracts/variables';
import { sumUsage } from '@proofmark/domain/totals';
import type { CallResult, ChatAnswer, ChatMessage, ChatRequest, RequestedCall } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import type { AgentTurn, Conversation, ConversationContext, ToolRequest } from './agent-driver.ts';
import { parseArguments } from './parse-tool-arguments.ts';

/** Chat completions: model, tools, model … until a message without tool calls. The history is kept between turns. */
export function openOpenAi(context: ConversationContext): CallResult<Conversation> {
  const { model, agent } = context.work;
  if (model === null)
    return { ok: false, failure: finalFailure('agent', `Agent ${agent.name} has no AI configuration`) };
  const asked = withUsual(model, context.work.resolvedVariables);
  let history: readonly ChatMessage[] = [
    // An agent without instructions is the bare model.
    ...(agent.instructions === '' ? [] : [{ role: 'system' as const, content: agent.instructions }]),
    ...(context.work.case.messages ?? []).map(({ role, content }) => ({ role, content })),
  ];
  return {
    ok: true,
    value: {
      async turn(userText, signal, { images } = { said: userText, files: [], images: [] }) {
        const answered = await converseOnce(context, asked, {
          // Who is asked to speak first has been told nothing: some providers refuse an empty message.
          history: userText === '' ? history : [...history, { role: 'user', content: userText, images }],
          signal,
        });
        if (!answered.ok) return answered;
        history = answered.value.history;
        return { ok: true, value: answered.value.turn };
      },
      async close() {
        // Connections belong to the model client, which outlives the case.
      },
    },
  };
}

interface AskedModel {
  model: ModelSettings;
  defaults: NonNullable<ChatRequest['defaults']>;
}

/** The default of a test type is nobody's wish: a model that refuses it is asked without. */
function withUsual(model: ModelSettings, { sources }: ResolvedVariables): AskedModel {
  const { temperature, max_tokens: maxTokens, ...rest } = model;
  const isUsual = { temperature: sources.Temperature === 'type', maxTokens: sources.MaxTokens === 'type' };
  return {
    model: {
      ...rest,
      ...(temperature !== undefined && !isUsual.temperature && { temperature }),
      ...(maxTokens !== undefined && !isUsual.maxTokens && { max_tokens: maxTokens }),
    },
    defaults: {
      ...(isUsual.temperature && { temperature }),
      ...(isUsual.maxTokens && { maxTokens }),
    },
  };
}

async function converseOnce(
  { work, models, tools }: ConversationContext,
  { model, defaults }: AskedModel,
  { history, signal }: { history: readonly ChatMessage[]; signal: AbortSignal },
): Promise<CallResult<{ turn: AgentTurn; history: readonly ChatMessage[] }>> {
  const messages: ChatMessage[] = [...history];
  const answers: ChatAnswer[] = [];
  // The tool box ends a model that calls tools for ever.
  for (;;) {
    const answered = await models.chat(model, { messages, defaults, tools: work.agent.tools }, signal);
    if (!answered.ok) return answered;
    const answer = answered.value;
    answers.push(answer);
    if (answer.calls.length === 0) {
      messages.push({ role: 'assistant', content: answer.text });
      return { ok: true, value: { turn: sumUp(answers, answer.text), history: messages } };
    }
    messages.push({ role: 'assistant', content: answer.text === '' ? null : answer.text, calls: answer.calls });
    for (const requested of answer.calls) {
      const called = await tools.call(readRequest(requested), signal);
      if (!called.ok) return called;
      messages.push({ role: 'tool', callId: requested.id, content: resultText(called.value) });
    }
  }
}

function readRequest({ id, name, arguments: text }: RequestedCall): ToolRequest {
  const parsed = parseArguments(text);
  if (id === '') return { id, name, ...parsed, argsError: 'The call has no id' };
  return { id, name, ...parsed };
}

/** A text result (a malformed answer of a mock, for example) reaches the model as it is, everything else as JSON. */
function resultText({ result }: ToolCall): string {
  return typeof result === 'string' ? result : JSON.stringify(result);
}

function sumUp(answers: readonly ChatAnswer[], text: string): AgentTurn {
  const flags = new Set(answers.flatMap((answer) => answer.flags));
  return {
    text,
    ended: false,
    usage: sumUsage(answers.map(({ usage }) => usage)),
    model: answers.at(-1)?.model ?? null,
    flags: [...flags],
  };
}
