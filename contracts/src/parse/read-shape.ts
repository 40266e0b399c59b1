import type { z } from 'zod';
import type { Finding } from './finding.ts';
import { foldKeys } from './fold-keys.ts';
import { schemaFindings } from './schema-findings.ts';
import { schemaPlan } from './schema-plan.ts';

export interface ShapeReading<T> {
  /** Undefined when the value does not have the shape; unknown keys alone do not stop it. */
  value: T | undefined;
  /** The value with known keys in their one spelling, whether or not it has the shape. */
  folded: unknown;
  findings: Finding[];
}

/** Reads plain data as the given shape and reports everything that is wrong with it, not only the first thing. */
export function readShape<T>(schema: z.ZodType<T>, original: unknown): ShapeReading<T> {
  const findings: Finding[] = [];
  const folded = foldKeys(schemaPlan(schema), original, [], findings);
  const parsed = schema.safeParse(folded);
  if (!parsed.success) findings.push(...schemaFindings(parsed.error.issues, original));
  return { value: parsed.data, folded, findings };
}
