import type { AgentHeader } from '../authored/agent-document.ts';
import type { AgentDefinition } from '../definitions/agent-file.ts';
import type { Located } from './located.ts';

export interface LoadedAgent {
  agent: AgentDefinition;
  header: AgentHeader;
  /** Files that the agent is made of, beside the one it stands in. */
  dependsOn: string[];
  /** Cases and metrics that stand in the agent's file, as HoloDeck writes them. */
  testCases: unknown;
  located: Located;
}
