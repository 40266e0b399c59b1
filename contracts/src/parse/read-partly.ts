import type { z } from 'zod';
import { nearMatch } from '../definitions/near-match.ts';
import { type Finding, isBlocking } from './finding.ts';
import { snakeCase } from './key-spelling.ts';
import type { Path } from './path-text.ts';
import { readShape } from './read-shape.ts';
import { salvage } from './salvage.ts';
import { schemaPlan } from './schema-plan.ts';

export interface PartialReading<T> {
  /** What is right of it, errors left out; undefined when nothing can be used. */
  value: T | undefined;
  /** The value with known keys in their one spelling, whether or not it has the shape. */
  folded: unknown;
  findings: Finding[];
  /** Keys of the top with an error in them: that something is missing there says nothing yet. */
  broken: ReadonlySet<string>;
  /** The path in the file of a path in `value`, whose lists are shorter where entries were left out. */
  restore: (path: Path) => Path;
}

/**
 * Reads plain data as the given shape, and what is right of it where it is wrong, so that whoever looks further can tell
 * everything else in the same round. `standIns` take the place of required keys that are wrong or missing.
 */
export function readPartly<T>(
  schema: z.ZodType<T>,
  original: unknown,
  standIns: Readonly<Record<string, unknown>> = {},
): PartialReading<T> {
  const { value, folded, findings } = readShape(schema, original);
  const known = schemaPlan(schema);
  const names = known.kind === 'object' ? [...known.fields.keys()] : [];
  const broken = new Set(findings.filter(isBlocking).flatMap((finding) => meantKey(finding, names)));
  if (value !== undefined) return { value, folded, findings, broken, restore: (path) => path };
  return { folded, findings, broken, ...salvage(schema, folded, standIns) };
}

/** A misspelt key stands for the one that was probably meant. */
function meantKey({ path, code }: Finding, names: readonly string[]): string[] {
  const key = snakeCase(String(path[0] ?? ''));
  if (code !== 'unknown_field' || path.length > 1) return [key];
  const near = nearMatch(key, names);
  return near === undefined ? [] : [near];
}
