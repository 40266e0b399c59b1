import type { LoadedDefinitions, LoadResult } from '@proofmark/contracts/load-definitions';
import type { StartRunInput, Trigger } from '@proofmark/contracts/start-run-input';
import { takeDataOnly } from '@proofmark/domain/take-data-only';
import type { FoundBase } from './find-base.ts';

/**
 * What may be run of a commit for which a maintainer had to be asked: its data, with all else from the base. Nothing where
 * nobody knows the base.
 */
export function asApproved(loaded: LoadResult, { approval }: Trigger, found: FoundBase): LoadResult {
  if (approval === undefined) return loaded;
  const base: LoadedDefinitions = found.atMergeBase ??
    found.base?.definitions ?? { project: loaded.definitions.project, suites: [] };
  return { ...loaded, definitions: takeDataOnly(loaded.definitions, base), testTypes: [] };
}

const usualForkBudgetUsd = 1;
/** Where a model has no price, money alone would be no limit. */
const mostForkTokens = 2_000_000;

/** What such a run may spend: what the base allows, and no more than the operator lets forks spend. */
export function withinForkBudget(
  input: StartRunInput,
  { approval }: Trigger,
  { project }: LoadedDefinitions,
  forkBudgetUsd = usualForkBudgetUsd,
): StartRunInput {
  if (approval === undefined) return input;
  const { budget_usd, budget_tokens } = project.limits;
  const { settings } = input;
  const budgetUsd = Math.min(settings.budgetUsd ?? budget_usd ?? forkBudgetUsd, forkBudgetUsd);
  const budgetTokens = Math.min(settings.budgetTokens ?? budget_tokens ?? mostForkTokens, mostForkTokens);
  return { ...input, settings: { ...settings, budgetUsd, budgetTokens } };
}
