import type { CollectedDefinitions } from '@proofmark/embedded/collect-definitions';
import type { Inputs } from './inputs.ts';
import type { Trigger } from './read-event.ts';
import type { SuiteSearch } from './suite-search.ts';

/** A run that is ready to be executed, wherever that is. */
export interface PreparedRun {
  inputs: Inputs;
  trigger: Trigger;
  collected: CollectedDefinitions;
  /** How the suites were found. */
  search: SuiteSearch;
  /** The checkout. */
  root: string;
  /** The second checkout; null when there is none. */
  baseFolder: string | null;
}
