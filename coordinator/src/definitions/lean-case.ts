import { TestCase } from '@proofmark/contracts/test-case';
import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';

/** A case as it is stored and sent: what nobody has set does not stand in it, and `TestCase` fills it in again. */
export type LeanCase = z.input<typeof TestCase>;

const { name: _name, kind: _kind, ...unset } = TestCase.parse({ name: 'one that sets nothing', kind: 'single' });

/** The case without what nobody has set, which is two thirds of most. */
export function leanCase(testCase: TestCase): LeanCase {
  const lean: Record<string, unknown> = {};
  // Each case of a run comes here, so no list of its entries is made.
  for (const key of Object.keys(testCase) as (keyof TestCase)[]) {
    const value = testCase[key];
    if (!isUnset(unset[key as keyof typeof unset], value)) lean[key] = value;
  }
  return lean as LeanCase; // what has no default is never left out
}

const isUnset = (usual: unknown, value: unknown): boolean =>
  value === usual || (Array.isArray(usual) && Array.isArray(value) && value.length === 0);

/** The case that `leanCase` was given. */
export const wholeCase = (lean: LeanCase): TestCase => ({ ...unset, ...lean }) as TestCase; // `lean` was a whole one

/** SQL: the same of a lean case that is stored; null: of one that sets nothing. */
export const wholeDefinition = (lean: RawBuilder<unknown>): RawBuilder<TestCase> =>
  sql`${JSON.stringify(unset)}::jsonb || coalesce(${lean}, '{}')`;
