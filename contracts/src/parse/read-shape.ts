import type { z } from 'zod';
import { didYouMean } from '../definitions/near-match.ts';
import { isReservedName } from '../definitions/texts.ts';
import type { Finding, Path, PathSegment } from './finding.ts';
import { schemaFindings } from './schema-findings.ts';
import { isMapping, type SchemaPlan, schemaPlan, settlePlan, snakeCase } from './schema-plan.ts';

interface ShapeReading<T> {
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

/** Keys that people expect here and why they are refused. */
const forbiddenKeys = new Map([
  ['agent_system_prompt', 'The prompt belongs to the agent; a run keeps a snapshot of it.'],
  ['agent_tools', 'Tools belong to the agent; a run keeps a snapshot of them.'],
]);

const misplacedKeys = new Map([
  ['mocks', 'Canned tool answers stand in `mocks` of the suite.'],
  ['mock_responses', 'Canned tool answers stand in `mocks` of the suite.'],
  ['assert', 'Checks stand in `expected_behavior.checks`.'],
  ['checks', 'Checks stand in `expected_behavior.checks`.'],
]);

/**
 * The value with every known key in its one spelling; keys no schema knows are reported and left out. Maps whose keys
 * are the user's own (contexts, outcomes, parameters, variables) are returned as they are, and so is what is spelled
 * right, as nearly all is. `path` is where the walk is now: whoever keeps it copies it.
 */
function foldKeys(plan: SchemaPlan, value: unknown, path: PathSegment[], findings: Finding[]): unknown {
  const settled = settlePlan(plan, value);
  if (settled.kind === 'list' && Array.isArray(value)) return foldList(settled.item, value, path, findings);
  if (!isMapping(value)) return value;
  if (settled.kind === 'object') return foldObject(settled, value, path, findings);
  if (settled.kind !== 'map') return value;
  findings.push(
    ...Object.keys(value)
      .filter(isReservedName)
      .map((key) => reservedKey(key, [...path, key])),
  );
  if (settled.value.kind === 'leaf') return value;
  const inner = settled.value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, foldChild(inner, entry, path, key, findings)]),
  );
}

function foldChild(
  plan: SchemaPlan,
  value: unknown,
  path: PathSegment[],
  segment: PathSegment,
  findings: Finding[],
): unknown {
  if (plan.kind === 'leaf') return value;
  path.push(segment);
  const folded = foldKeys(plan, value, path, findings);
  path.pop();
  return folded;
}

function foldList(plan: SchemaPlan, items: unknown[], path: PathSegment[], findings: Finding[]): unknown[] {
  if (plan.kind === 'leaf') return items;
  const folded = items.map((item, index) => foldChild(plan, item, path, index, findings));
  return folded.every((item, index) => item === items[index]) ? items : folded;
}

type ObjectPlan = SchemaPlan & { kind: 'object' };

function foldObject(
  plan: ObjectPlan,
  value: Record<string, unknown>,
  path: PathSegment[],
  findings: Finding[],
): unknown {
  const isSpelledRight = Object.keys(value).every((key) => plan.fields.has(key));
  return isSpelledRight ? foldFields(plan, value, path, findings) : foldSpellings(plan, value, path, findings);
}

function foldFields(plan: ObjectPlan, value: Record<string, unknown>, path: PathSegment[], findings: Finding[]) {
  let folded = value;
  for (const key of Object.keys(value)) {
    const field = plan.fields.get(key);
    const entry = field === undefined ? value[key] : foldChild(field, value[key], path, key, findings);
    if (entry === value[key]) continue;
    if (folded === value) folded = { ...value };
    folded[key] = entry;
  }
  return folded;
}

function foldSpellings(plan: ObjectPlan, value: Record<string, unknown>, path: PathSegment[], findings: Finding[]) {
  const folded: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(value)) {
    const known = plan.fields.has(key) ? key : plan.bySpelling.get(snakeCase(key));
    const field = known === undefined ? undefined : plan.fields.get(known);
    if (known === undefined || field === undefined) keepOrRefuse(plan, folded, [key, entry], path, findings);
    else if (Object.hasOwn(folded, known)) findings.push(twice(key, known, [...path, key]));
    else folded[known] = foldChild(field, entry, path, key, findings);
  }
  return folded;
}

function keepOrRefuse(
  plan: SchemaPlan & { kind: 'object' },
  target: Record<string, unknown>,
  [key, value]: [string, unknown],
  path: Path,
  findings: Finding[],
): void {
  if (!plan.isOpen) findings.push(unknownKey(key, [...path, key], plan.fields.keys()));
  else if (isReservedName(key)) findings.push(reservedKey(key, [...path, key]));
  else target[key] = value;
}

function unknownKey(key: string, path: Path, known: Iterable<string>): Finding {
  const spelling = snakeCase(key);
  const forbidden = forbiddenKeys.get(spelling);
  if (forbidden !== undefined)
    return { path, code: 'forbidden_field', message: `\`${key}\` does not belong here`, hint: forbidden, at: 'key' };
  const hint = misplacedKeys.get(spelling);
  const message = `unknown key \`${key}\`${didYouMean(key, known)}`;
  return { path, code: 'unknown_field', message, at: 'key', ...(hint === undefined ? {} : { hint }) };
}

const reservedKey = (key: string, path: Path): Finding => ({
  path,
  code: 'invalid_format',
  message: `\`${key}\` is a reserved word, choose another name`,
  at: 'key',
});

const twice = (key: string, known: string, path: Path): Finding => ({
  path,
  code: 'duplicate',
  message: `duplicate key \`${key}\`: it is another spelling of \`${known}\``,
  at: 'key',
});
