import type { Adapters } from '@proofmark/domain/vector-adapter';
import { differences } from './compare.ts';
import { knownKinds } from './known-kinds.ts';
import type { Vector } from './vector.ts';

export type VectorOutcome =
  | { readonly status: 'passed' }
  | { readonly status: 'failed'; readonly problems: readonly string[] }
  /** The kind is known but nothing answers it yet. */
  | { readonly status: 'waiting' };

/** Asks the product and compares; an adapter that throws has answered wrongly. */
export async function checkVector(vector: Vector, adapters: Adapters): Promise<VectorOutcome> {
  const answer = adapters.get(vector.kind);
  if (!answer) {
    return knownKinds.has(vector.kind)
      ? { status: 'waiting' }
      : { status: 'failed', problems: [`unknown kind: ${vector.kind}`] };
  }
  try {
    const problems = differences(vector.expected, await answer(vector.input), vector.tolerance);
    return problems.length === 0 ? { status: 'passed' } : { status: 'failed', problems };
  } catch (error) {
    return { status: 'failed', problems: [error instanceof Error ? `threw ${error.message}` : 'threw'] };
  }
}
