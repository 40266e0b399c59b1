import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { Instrument } from '@proofmark/contracts/case-work';
import { contentHash } from '@proofmark/contracts/content-hash';
import { EVALUATOR_VERSION, hashedModel } from './content-hashes.ts';

/** How a judge of outcomes decides unless a case has a rubric of its own. A change of it raises EVALUATOR_VERSION. */
export const defaultRubric = [
  'A criterion is met when the transcript or the tool evidence shows that it is met.',
  'What the agent says it has done counts only if a tool call supports it.',
  'What the agent was to say or to do, and what neither the transcript nor the tool evidence shows, it has not said or done: the criterion is not met.',
  'Whether what the agent says is true, the files, the reference answer and the tool evidence decide. Where they say nothing about it and the criterion hangs on it, the criterion is inconclusive, not failed.',
  'Judge the meaning of a criterion, not its wording: key and value together say what must be true at the end.',
  'Style and tone matter only where a criterion names them.',
].join('\n');

/** Who judges: the panel where there is one, else the judge; nobody without either. */
export const judgesOf = ({ judge, panel }: Pick<Instrument, 'judge' | 'panel'>): readonly ModelSettings[] =>
  panel ?? (judge === null ? [] : [judge]);

/**
 * The identity of the measuring instrument "judge of outcomes": two verdicts are comparable only when it is equal.
 * Without a case `override` is null, and the judge is the one with the usual rubric.
 */
export function judgeHash(models: readonly ModelSettings[], override: string | null = null): string {
  return contentHash({
    template: EVALUATOR_VERSION,
    rubric: override ?? defaultRubric,
    models: models.map(hashedModel),
  });
}
