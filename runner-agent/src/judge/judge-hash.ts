import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import { contentHash } from '@proofmark/contracts/content-hash';
import { EVALUATOR_VERSION } from '@proofmark/domain/content-hashes';
import { defaultRubric } from './outcome-template.ts';

/** The identity of the measuring instrument "judge of outcomes": two verdicts are comparable only when it is equal. */
export function judgeHash(models: readonly ModelSettings[], override: string | null): string {
  return contentHash({
    template: EVALUATOR_VERSION,
    rubric: override ?? defaultRubric,
    parameters: { temperature: 0 },
    models: models.map(({ provider, model, base_url }) => ({ provider, model, base_url: base_url ?? null })),
  });
}
