import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { ToolCall } from '@proofmark/contracts/case-outcome';
import type { ResolvedVariables } from '@proofmark/contracts/variables';
import { sumUsage } from '@proofmark/domain/totals';
import type { CallResult, ChatAnswer, ChatMessage, ChatRequest, RequestedCall } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import type { AgentTurn, Attachments, Conversation, ConversationContext, ToolRequest } from './agent-driver.ts';
import { parseArguments } from './parse-tool-arguments.ts';

/** Chat completions: model, tools, model … until a message without tool calls. The history is kept between turns. */
export function openOpenAi(context: ConversationContext): CallResult<Conversation> {
  const { model, agent } = context.work;
  if (model === null)
    return { ok: false, failure: finalFailure('agent', `Agent ${agent.name} has no AI configuration`) };
  const asked = withUsual(model, context.work.resolvedVariables);
  const history = [
    // An agent without instructions is the bare model.
    ...(agent.instructions === '' ? [] : [{ role: 'system' as const, content: agent.instructions }]),
    ...(context.work.case.messages ?? []).map(({ role, content }) => ({ role, content })),
  ];
  return { ok: true, value: new ChatConversation(context, asked, history) };
}

interface AskedModel {
  model: ModelSettings;
  defaults: NonNullable<ChatRequest['defaults']>;
}

/** The default of a test type is nobody's wish: a model that refuses it is asked without. */
function withUsual(model: ModelSettings, { sources }: ResolvedVariables): AskedModel {
  const isUsual = { temperature: sources.Temperature === 'type', maxTokens: sources.MaxTokens === 'type' };
  return {
    model: {
      ...model,
      ...(isUsual.temperature && { temperature: undefined }),
      ...(isUsual.maxTokens && { max_tokens: undefined }),
    },
    defaults: {
      temperature: isUsual.temperature ? model.temperature : undefined,
      maxTokens: isUsual.maxTokens ? model.max_tokens : undefined,
    },
  };
}

/** Connections belong to the model client, which outlives the case: there is nothing to close. */
class ChatConversation implements Conversation {
  readonly #context: ConversationContext;
  readonly #asked: AskedModel;
  #history: readonly ChatMessage[];

  constructor(context: ConversationContext, asked: AskedModel, history: readonly ChatMessage[]) {
    this.#context = context;
    this.#asked = asked;
    this.#history = history;
  }

  async turn(userText: string, signal: AbortSignal, attachments?: Attachments): Promise<CallResult<AgentTurn>> {
    const { work, models } = this.#context;
    const { model, defaults } = this.#asked;
    const messages: ChatMessage[] = [...this.#history];
    // Who is asked to speak first has been told nothing: some providers refuse an empty message.
    if (userText !== '') messages.push({ role: 'user', content: userText, images: attachments?.images ?? [] });
    const answers: ChatAnswer[] = [];
    // The tool box ends a model that calls tools for ever.
    for (;;) {
      const answered = await models.chat(model, { messages, defaults, tools: work.agent.tools }, signal);
      if (!answered.ok) return answered;
      const answer = answered.value;
      answers.push(answer);
      if (answer.calls.length === 0) {
        messages.push({ role: 'assistant', content: answer.text });
        this.#history = messages;
        return { ok: true, value: sumUp(answers, answer.text) };
      }
      messages.push({ role: 'assistant', content: answer.text === '' ? null : answer.text, calls: answer.calls });
      const failed = await this.#callTools(answer.calls, messages, signal);
      if (failed) return failed;
    }
  }

  /** Adds what the tools answer to the messages; why the turn ends, where one of them fails. */
  async #callTools(
    calls: readonly RequestedCall[],
    messages: ChatMessage[],
    signal: AbortSignal,
  ): Promise<Extract<CallResult<never>, { ok: false }> | undefined> {
    for (const requested of calls) {
      const called = await this.#context.tools.call(readRequest(requested), signal);
      if (!called.ok) return called;
      messages.push({ role: 'tool', callId: requested.id, content: resultText(called.value) });
    }
    return undefined;
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
