import type { AgentHeader } from '../authored/agent-document.ts';
import type { AgentDefinition } from '../definitions/agent-file.ts';
import type { Located } from './located.ts';

/** An agent as far as it could be read. */
export interface LoadedAgent {
  agent: AgentDefinition;
  header: AgentHeader;
  /** Files that the agent is made of, beside the one it stands in. */
  dependsOn: string[];
  /** Cases and metrics that stand in the agent's file, as HoloDeck writes them. */
  testCases: unknown;
  located: Located;
  /** Keys with an error: what is missing there says nothing. */
  broken: ReadonlySet<string>;
  /** Names of its tools, those with an error too; undefined when not every name can be read. */
  toolNames: readonly string[] | undefined;
  /** The same of its metrics. */
  metricNames: readonly string[] | undefined;
}
