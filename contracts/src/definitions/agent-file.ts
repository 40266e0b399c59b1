import { z } from 'zod';
import { RepositoryFile } from './repository-path.ts';
import { HttpDriver } from './service.ts';
import { FreeForm, KeyName, Name } from './texts.ts';

export const ToolDefinition = z.strictObject({
  name: KeyName,
  description: z.string().default(''),
  /** JSON Schema of the arguments, passed to the model as it is. */
  parameters: FreeForm.default({}),
  retrieval: z.boolean().default(false),
});
export type ToolDefinition = z.infer<typeof ToolDefinition>;

export const ScriptedReply = z.strictObject({
  contains: z
    .string()
    .min(1)
    .optional()
    .describe('Only for messages with this text; the first reply that fits is given.'),
  reply: z.string().default('').describe('What the agent says.'),
  tool_calls: z
    .array(
      z.strictObject({
        name: z.string().min(1).describe('Name of the tool.'),
        args: FreeForm.default({}).describe('Its arguments.'),
      }),
    )
    .default([])
    .describe('Tools that it calls before it says so.'),
  ended: z.boolean().default(false).describe('Whether the agent ends the conversation.'),
  error: z.string().min(1).optional().describe('The agent fails with this message.'),
});
export type ScriptedReply = z.infer<typeof ScriptedReply>;

/** How the agent is reached. `openai`: chat completions; `http`: the team's own service; `command`: a child process; `scripted`: replies from data. */
export const AgentDriver = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('openai').describe('A model with chat completions of OpenAI or alike.') }),
  HttpDriver,
  z.strictObject({
    type: z.literal('command').describe('A program that reads and writes JSON lines.'),
    command: z.array(z.string().min(1)).min(1).describe('The program and its arguments.'),
  }),
  z.strictObject({
    type: z.literal('module').describe('A function of a JavaScript or TypeScript file of the repository.'),
    file: RepositoryFile.describe('Path of the file from the root of the repository.'),
    export: z.string().min(1).optional().describe('Name of the exported function; default unless set.'),
  }),
  z.strictObject({
    type: z.literal('scripted').describe('Replies from data, without a model.'),
    replies: z.array(ScriptedReply).min(1).describe('The replies.'),
  }),
]);
export type AgentDriver = z.infer<typeof AgentDriver>;

/** What is tested, with every referenced text read: this is what a run keeps and what `agent_hash` covers. */
export const AgentDefinition = z.strictObject({
  name: Name,
  description: z.string().default(''),
  instructions: z.string(),
  tools: z.array(ToolDefinition).default([]),
  driver: AgentDriver,
  /** Name of the AI configuration used unless the variable `AIConfiguration` names another; null: the project's only one. */
  ai_configuration: z.string().nullable(),
});
export type AgentDefinition = z.infer<typeof AgentDefinition>;
