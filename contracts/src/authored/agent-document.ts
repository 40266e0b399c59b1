import { z } from 'zod';
import { AgentDriver, type ToolDefinition } from '../definitions/agent-file.ts';
import { FreeForm, KeyName, Name } from '../definitions/texts.ts';
import { SchemaVersion } from './case-file.ts';
import { ModelReference } from './configurations.ts';
import { EvaluationsBlock } from './evaluations-block.ts';

/** Keys of HoloDeck's other tool types, which run inside HoloDeck: read, but without effect here. */
const foreign = z.unknown().optional();
const foreignToolKeys = {
  file: foreign,
  function: foreign,
  source: foreign,
  config: foreign,
  command: foreign,
  args: foreign,
  env: foreign,
  transport: foreign,
  server: foreign,
  url: foreign,
  template: foreign,
  model: foreign,
  database: foreign,
  top_k: foreign,
  embedding_model: foreign,
  embedding_dimensions: foreign,
  defer_loading: foreign,
};

export const ToolDocument = z.strictObject({
  name: KeyName.describe('Name of the tool.'),
  description: z.string().nullish().describe('What the model is told about it.'),
  parameters: FreeForm.nullish().describe('JSON Schema of its parameters.'),
  retrieval: z.boolean().optional().describe('Whether its answers are context for retrieval metrics.'),
  type: z.enum(['function', 'vectorstore', 'hierarchical_document', 'mcp', 'prompt', 'skill', 'hosted']).optional(),
  ...foreignToolKeys,
});
export type ToolDocument = z.infer<typeof ToolDocument>;

const Instructions = z.union([
  z.string(),
  z.strictObject({
    file: z.string().min(1).optional().describe('Path of a text file from here.'),
    inline: z.string().optional().describe('The prompt itself.'),
  }),
]);

/** Keys of a HoloDeck agent that configure HoloDeck itself. */
const foreignAgentKeys = {
  version: foreign,
  author: foreign,
  response_format: foreign,
  embedding_provider: foreign,
  claude: foreign,
  openai: foreign,
  observability: foreign,
  execution: foreign,
  deployment: foreign,
};

/** An agent as it is written, in its own file or inside a suite; its own cases are read separately. */
export const AgentHeader = z.strictObject({
  schema_version: SchemaVersion.optional().describe('Version of this format.'),
  name: Name.describe('Name of the agent.'),
  description: z.string().nullish().describe('For people.'),
  model: ModelReference.optional().describe('Provider and model, or the name of an AI configuration.'),
  ai_configuration: KeyName.nullish().describe("Name of the AI configuration; the project's only one unless set."),
  instructions: Instructions.optional().describe('The prompt, or { file: path }; "" sends no system message.'),
  tools: z.array(ToolDocument).max(200).nullish().describe('Tools the model is offered.'),
  driver: z
    .union([z.enum(['openai']), AgentDriver])
    .optional()
    .describe('How the agent is reached; openai unless set.'),
  evaluations: EvaluationsBlock.nullish().describe('Metrics of suites that have none of their own.'),
  ...foreignAgentKeys,
});
export type AgentHeader = z.infer<typeof AgentHeader>;

export const ignoredAgentKeys: readonly string[] = Object.keys(foreignAgentKeys);
export const ignoredToolKeys: readonly string[] = Object.keys(foreignToolKeys);

export function normaliseTool(tool: ToolDocument): ToolDefinition {
  return {
    name: tool.name,
    description: tool.description ?? '',
    parameters: tool.parameters ?? {},
    retrieval: tool.retrieval ?? (tool.type === 'vectorstore' || tool.type === 'hierarchical_document'),
  };
}
