import type { z } from 'zod';

/** `caseSensitive` and `case_sensitive` are one key; everything that compares keys compares this spelling. */
export function snakeCase(key: string): string {
  return /^[a-z][a-z0-9]*(?:[A-Z][A-Za-z0-9]*)+$/.test(key)
    ? key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    : key;
}

/** The key of `value` that means `wanted`, in whatever spelling the file has it. */
export function spelledKey(value: Readonly<Record<string, unknown>>, wanted: string): string | undefined {
  if (Object.hasOwn(value, wanted)) return wanted;
  return Object.keys(value).find((key) => snakeCase(key) === snakeCase(wanted));
}

/** What a schema says about keys, worked out once per schema: enough to fold spellings and to name unknown keys. */
export type SchemaPlan =
  | { kind: 'leaf' }
  | {
      kind: 'object';
      fields: ReadonlyMap<string, SchemaPlan>;
      bySpelling: ReadonlyMap<string, string>;
      /** Further keys are the user's own. */
      isOpen: boolean;
    }
  | { kind: 'list'; item: SchemaPlan }
  | { kind: 'map'; value: SchemaPlan }
  | { kind: 'choice'; discriminator: string; options: ReadonlyMap<unknown, SchemaPlan> }
  | { kind: 'either'; options: readonly SchemaPlan[] }
  /** A schema that may hold itself, worked out when a value asks for it. */
  | { kind: 'later'; plan: () => SchemaPlan };

const leaf: SchemaPlan = { kind: 'leaf' };
const plans = new WeakMap<z.core.$ZodType, SchemaPlan>();

export function schemaPlan(schema: z.core.$ZodType): SchemaPlan {
  const known = plans.get(schema);
  if (known !== undefined) return known;
  const plan = makePlan(schema);
  plans.set(schema, plan);
  return plan;
}

function makePlan(schema: z.core.$ZodType): SchemaPlan {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'object') return objectPlan(def);
  if (def.type === 'array') return { kind: 'list', item: schemaPlan(def.element) };
  if (def.type === 'record') return { kind: 'map', value: schemaPlan(def.valueType) };
  if (def.type === 'union') return unionPlan(def);
  if (def.type === 'pipe') return schemaPlan(def.in);
  if (def.type === 'lazy') return { kind: 'later', plan: () => schemaPlan(def.getter()) };
  return 'innerType' in def ? schemaPlan(def.innerType) : leaf;
}

function objectPlan({ shape, catchall }: z.core.$ZodObjectDef): SchemaPlan {
  const entries = Object.entries(shape);
  return {
    kind: 'object',
    fields: new Map(entries.map(([key, field]) => [key, schemaPlan(field)])),
    bySpelling: new Map(entries.map(([key]) => [snakeCase(key), key])),
    isOpen: catchall !== undefined && catchall._zod.def.type !== 'never',
  };
}

function unionPlan(def: z.core.$ZodUnionDef & { discriminator?: string }): SchemaPlan {
  const options = def.options.map(schemaPlan);
  const { discriminator } = def;
  if (discriminator === undefined) return { kind: 'either', options };
  const byValue = new Map<unknown, SchemaPlan>();
  def.options.forEach((option, index) => {
    for (const value of option._zod.propValues?.[discriminator] ?? []) byValue.set(value, options[index] ?? leaf);
  });
  return { kind: 'choice', discriminator, options: byValue };
}

/** The plan that applies to this value: unions are settled by its discriminator or by its kind. */
export function settlePlan(plan: SchemaPlan, value: unknown): SchemaPlan {
  if (plan.kind === 'later') return settlePlan(plan.plan(), value);
  if (plan.kind === 'choice') {
    return isMapping(value) ? (plan.options.get(value[plan.discriminator]) ?? leaf) : leaf;
  }
  if (plan.kind !== 'either') return plan;
  const fitting = plan.options.map((option) => settlePlan(option, value)).filter((option) => fits(option, value));
  return fitting.length === 1 ? (fitting[0] ?? leaf) : leaf;
}

function fits(plan: SchemaPlan, value: unknown): boolean {
  if (plan.kind === 'list') return Array.isArray(value);
  return (plan.kind === 'object' || plan.kind === 'map') && isMapping(value);
}

export const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
