import type { TokenUsage, ToolCall } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import type { ProcessedFileInput } from '@proofmark/contracts/processed-file';
import type { CallResult, ChatPort, ImagePart } from '../models/model-port.ts';
import type { ReportedCall } from './agent-protocol.ts';
import type { AgentReach } from './agent-reach.ts';

export interface AgentTurn {
  text: string;
  /** The agent ends the conversation: a structured flag, never a word in the text. */
  ended: boolean;
  /** Null when the provider sent none; nothing is estimated. */
  usage: TokenUsage | null;
  /** What the agent says that the turn cost, in US dollars; absent: it is computed from the usage. */
  costUsd?: number;
  model: string | null;
  flags: readonly string[];
}

export interface ToolRequest {
  id: string;
  name: string;
  args: ToolCall['args'];
  /** Why the arguments could not be read; null when they could. */
  argsError: string | null;
}

/** Runs tools for the agent and keeps every call. What goes wrong inside a tool is its answer; a failure ends the turn. */
export interface ToolBox {
  call(request: ToolRequest, signal: AbortSignal): Promise<CallResult<ToolCall>>;
  /** Keeps a call that the agent made by itself. */
  report(call: ReportedCall): void;
}

export interface ConversationContext {
  work: CaseWork;
  models: ChatPort;
  tools: ToolBox;
  /** Absent where only models are called. */
  reach?: AgentReach;
}

/** What comes with a message of the user. The text of the files is in the message already. */
export interface Attachments {
  /** The message without the files. */
  said: string;
  files: readonly ProcessedFileInput[];
  /** Only for drivers that take images. */
  images: readonly ImagePart[];
}

export interface Conversation {
  /** One user turn answered. A failed try leaves no trace: the same turn may be asked for again. */
  turn(userText: string, signal: AbortSignal, attachments?: Attachments): Promise<CallResult<AgentTurn>>;
  /** Called exactly once, also after errors. Absent: nothing is held. */
  close?(): Promise<void>;
}
