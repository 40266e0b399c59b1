import type { Suite } from '../definitions/suite.ts';
import type { TestType } from '../definitions/test-type.ts';
import type { LoadedCase } from '../load/load-cases.ts';
import type { LoadedAgent } from '../load/loaded-agent.ts';
import type { Located } from '../load/located.ts';

export interface SuiteReview {
  located: Located;
  suite: Suite;
  cases: readonly LoadedCase[];
  agent: LoadedAgent;
  testType: TestType;
  /** The metrics stand in the agent's file, as HoloDeck writes them. */
  evaluationsFromAgent: boolean;
}
