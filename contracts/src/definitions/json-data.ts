import { z } from 'zod';
import { refusal } from './texts.ts';

export type JsonData = z.core.util.JSONType;

/** Any JSON value, kept exactly as it is: also keys such as `__proto__` that a record would drop. */
export const JsonData = z.custom<JsonData>((value) => value !== undefined);

export type FreeForm = { [key: string]: JsonData };

/** A map whose keys belong to the user: never folded, never checked, never copied key by key. */
export const FreeForm = z
  .custom<FreeForm>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    refusal('invalid_type', 'must be a mapping of keys'),
  )
  .meta({ type: 'object' });
