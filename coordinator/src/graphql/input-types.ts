import type { InputRef } from '@pothos/core';
import { z } from 'zod';
import { builder, type InputFields } from './builder.ts';

type Ref = InputRef<object>;
type Words = InputRef<string>;
type Named = Ref | Words | 'String' | 'Int' | 'Float' | 'Boolean' | 'UUID' | 'JSON';

/** What zod tells of a value, and what its `meta` says for GraphQL. */
interface Described {
  /** Name of the input type or of the enumeration. */
  title?: string;
  /** The sentence of the input type. */
  about?: string;
  /** The sentence of the field. */
  description?: string;
  /** No caller can give it. */
  internal?: boolean;
  type?: string;
  format?: string;
  properties?: Record<string, Described>;
  required?: string[];
  items?: Described;
  anyOf?: Described[];
}

const scalars: Readonly<Record<string, Named>> = {
  string: 'String',
  integer: 'Int',
  number: 'Float',
  boolean: 'Boolean',
};

/** Null is what every field may be that is not required. What may be of several types is none that GraphQL knows. */
function withoutNull(field: Described): Described {
  const [only, ...others] = (field.anyOf ?? []).filter(({ type }) => type !== 'null');
  if (only === undefined) return field;
  return others.every(({ type }) => type === only.type) ? { ...field, ...only } : {};
}

/**
 * Makes GraphQL input types of zod shapes, so that a field, its type and its sentence are written once. `enums` are the
 * types of enumerations by the titles that the shapes give them; one without a title is a text.
 */
export function inputTypesOf(enums: Readonly<Record<string, Words>>): (shape: z.ZodType) => Ref {
  const made = new Map<string, Ref>();

  function objectType({ title = '', about = '', properties = {}, required = [] }: Described): Ref {
    const known = made.get(title);
    if (known !== undefined) return known;
    const given = Object.entries(properties).filter(([, field]) => field.internal !== true);
    const types = given.map(([name, field]) => ({ name, field, type: typeOf(field) }));
    const ref: Ref = builder.inputType(title, {
      description: about,
      fields: (t: InputFields) =>
        Object.fromEntries(
          types.map(({ name, field, type }) => {
            return [name, t.field({ type, required: required.includes(name), description: field.description ?? '' })];
          }),
        ),
    });
    made.set(title, ref);
    return ref;
  }

  function typeOf(field: Described): Named | [Named] {
    const { title = '', items, properties, type = '', format } = withoutNull(field);
    if (items !== undefined) return [typeOf(items)].flat() as [Named]; // a list of lists is in no input
    if (properties !== undefined) return objectType(field);
    if (format === 'uuid') return 'UUID';
    return enums[title] ?? scalars[type] ?? 'JSON';
  }

  return (shape) => objectType(z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }) as Described); // of an object
}
