import type { Suite } from '../definitions/suite.ts';
import type { LoadedCase } from '../load/load-cases.ts';
import type { KnownType } from '../load/load-context.ts';
import type { LoadedAgent } from '../load/loaded-agent.ts';
import type { Located } from '../load/located.ts';
import type { UsableVariables } from './usable-variables.ts';

/** A suite as far as it could be read. What is undefined cannot be told, and nothing is said that depends on it. */
export interface SuiteReview {
  located: Located;
  suite: Suite;
  /** Keys of the suite with an error: what is missing there says nothing. */
  broken: ReadonlySet<string>;
  cases: readonly LoadedCase[];
  areAllCasesRead: boolean;
  agent: LoadedAgent | undefined;
  testType: KnownType | undefined;
  variables: UsableVariables | undefined;
  /** Where the metrics stand: here, or in the agent's file, as HoloDeck writes them. */
  evaluationsOwner: Located | undefined;
  /** Names of the configured metrics, those with an error too. */
  metricNames: readonly string[] | undefined;
}
