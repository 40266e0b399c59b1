import { z } from 'zod';
import type { ProblemCode } from './problem.ts';

/** How a refinement names its problem code: the reader of issues takes it from `params`. */
export const refusal = (
  code: ProblemCode,
  error: string,
  hint?: string,
): { error: string; params: { code: ProblemCode; hint?: string } } => ({
  error,
  params: hint === undefined ? { code } : { code, hint },
});

/** White space and zero-width characters alone are not a text that anybody can read. */
const isVisible = (text: string): boolean => /[\p{L}\p{N}\p{P}\p{S}]/u.test(text);

const isOneLine = (text: string): boolean => !/[\n\r\u2028\u2029\p{Cc}]/u.test(text);

/** Any text with at least one visible character. */
export const VisibleText = z.string().min(1).refine(isVisible, refusal('too_short', 'must not be blank'));

/** One visible line of at most 255 characters as a person counts them, not UTF-16 units. */
export const Name = VisibleText.refine(
  (text) => text.length <= 255 || Array.from(text).length <= 255,
  refusal('too_long', 'must have at most 255 characters'),
).refine(isOneLine, refusal('invalid_format', 'must be one line without a control character'));

/** Names that every JavaScript object already has; as keys of our maps they would be found where nothing was set. */
const reservedNames = new Set([...Object.getOwnPropertyNames(Object.prototype), 'prototype']);

export const isReservedName = (name: string): boolean => reservedNames.has(name);

/** A name that is used as a key: of a variable, metric, preset, axis, tool or AI configuration. */
export const KeyName = Name.refine((name) => !isReservedName(name), {
  error: ({ input }) => `\`${String(input)}\` is a reserved word, choose another name`,
  params: { code: 'invalid_format' satisfies ProblemCode },
});

/** A web address; other schemes reach files and programs. */
export const HttpUrl = z.url({ protocol: /^https?$/ });

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
