import type { TokenUsage, ToolCall } from '@proofmark/contracts/case-outcome';
import type { ProcessedFileInput } from '@proofmark/contracts/processed-file';
import { cutModel } from '@proofmark/domain/kept-text';
import { fileName } from '../files/file-name.ts';
import type { CallResult } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import type { AgentTurn, Conversation, ConversationContext, ToolBox, ToolRequest } from './agent-driver.ts';
import { type AgentAnswer, AgentMessage, agentProtocol, ReportedUsage } from './agent-protocol.ts';
import { boundArguments } from './parse-tool-arguments.ts';

/** Sends one message to the agent and gives back the one that answers it. */
export interface AgentLine {
  exchange(message: unknown, signal: AbortSignal): Promise<CallResult<unknown>>;
  close(): Promise<void>;
}

/** The conversation of one test run in the words of the agent protocol, whatever carries them. */
export function speakProtocol(line: AgentLine, context: ConversationContext, conversationId: string): Conversation {
  const { work, tools } = context;
  const envelope = { protocol: agentProtocol, conversation_id: conversationId };
  let turn = 0;
  return {
    async turn(userText, signal, { said: input, files } = { said: userText, files: [], images: [] }) {
      const { instructions, tools: definitions } = work.agent;
      const variables = work.resolvedVariables.values;
      const opening = {
        ...envelope,
        turn,
        seed: work.seed,
        input,
        ...(turn === 0 && work.case.messages ? { history: work.case.messages } : {}),
        files: files.map(asSent),
        variables,
        instructions,
        tools: definitions,
      };
      let said = await listen(line, opening, signal);
      // The tool box ends an agent that asks for tools for ever.
      while (said.ok && 'tool_requests' in said.value) {
        const results = await runTools(said.value.tool_requests, tools, signal);
        if (!results.ok) return results;
        said = await listen(line, { ...envelope, tool_results: results.value }, signal);
      }
      if (!said.ok) return said;
      turn += 1;
      return readTurn(said.value, tools);
    },
    close: () => line.close(),
  };
}

/** The protocol has the files beside the input: an agent of a team's own decides how it reads them. */
export function asSent({ original, markdown_content, metadata }: ProcessedFileInput) {
  const { type, description = null } = original;
  return { name: fileName(original), type, description, markdown: markdown_content, metadata };
}

/** What a tool answered, or that the agent is to run its own and to report what it answers. */
type ToolResult = Pick<ToolCall, 'id' | 'name'> & ({ result: ToolCall['result'] } | { live: true });

async function runTools(
  requests: readonly Pick<ToolRequest, 'id' | 'name' | 'args'>[],
  tools: ToolBox,
  signal: AbortSignal,
): Promise<CallResult<ToolResult[]>> {
  const results: ToolResult[] = [];
  for (const { id, name, args } of requests) {
    const called = await tools.call({ id, name, ...boundArguments(args) }, signal);
    if (!called.ok) return called;
    const { result, source } = called.value;
    results.push(source === 'live' ? { id, name, live: true } : { id, name, result });
  }
  return { ok: true, value: results };
}

type Said = Exclude<AgentMessage, { error: string }>;

async function listen(line: AgentLine, message: unknown, signal: AbortSignal): Promise<CallResult<Said>> {
  const answered = await line.exchange(message, signal);
  if (!answered.ok) return answered;
  const said = AgentMessage.safeParse(answered.value);
  if (!said.success) {
    const failure = finalFailure('agent', `The agent answered neither an output nor tool requests of ${agentProtocol}`);
    return { ok: false, failure };
  }
  if ('error' in said.data)
    return { ok: false, failure: finalFailure('agent', `The agent failed: ${said.data.error}`) };
  return { ok: true, value: said.data };
}

function readTurn(said: Said, tools: ToolBox): CallResult<AgentTurn> {
  if (!('output' in said)) return { ok: false, failure: finalFailure('agent', 'The agent answered without an output') };
  for (const call of said.tool_calls) tools.report(call);
  return { ok: true, value: asTurn(said) };
}

function asTurn({ output, ended, usage, cost_usd: cost, model: named }: AgentAnswer): AgentTurn {
  const tokens = readUsage(usage);
  const { model, flags: cut } = cutModel(named);
  const flags = [...(tokens === 'invalid' ? ['usage_invalid'] : []), ...cut];
  const told = typeof cost === 'number' ? { costUsd: cost } : {};
  return { text: output, ended, usage: tokens === 'invalid' ? null : tokens, ...told, model, flags };
}

function readUsage(usage: unknown): TokenUsage | null | 'invalid' {
  if (usage === undefined || usage === null) return null;
  const parsed = ReportedUsage.safeParse(usage);
  if (!parsed.success) return 'invalid';
  const { prompt_tokens, completion_tokens, cached_tokens } = parsed.data;
  return {
    promptTokens: prompt_tokens,
    completionTokens: completion_tokens,
    ...(cached_tokens === undefined ? {} : { cachedTokens: cached_tokens }),
  };
}
