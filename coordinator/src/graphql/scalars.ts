import { Kind, valueFromASTUntyped } from 'graphql';
import { z } from 'zod';
import { builder } from './builder.ts';
import { graphqlError } from './graphql-error.ts';

const uuid = z.uuid();

function readUuid(value: unknown): string {
  const parsed = uuid.safeParse(value);
  if (parsed.success) return parsed.data.toLowerCase();
  throw graphqlError('BAD_USER_INPUT', 'An id is a UUID.');
}

builder.scalarType('UUID', {
  description: 'An id: 32 hex digits in the usual groups.',
  serialize: String,
  parseValue: readUuid,
  parseLiteral: (node) => readUuid(node.kind === Kind.STRING ? node.value : undefined),
});

builder.scalarType('DateTime', {
  description: 'A moment in UTC with milliseconds, ISO 8601.',
  serialize: (value) => new Date(value).toISOString(),
  parseValue: readDateTime,
  parseLiteral: (node) => readDateTime(node.kind === Kind.STRING ? node.value : undefined),
});

function readDateTime(value: unknown): string {
  const parsed = z.iso.datetime({ offset: true }).safeParse(value);
  if (parsed.success) return parsed.data;
  throw graphqlError('BAD_USER_INPUT', 'A moment is written like 2026-01-31T12:00:00.000Z.');
}

builder.scalarType('JSON', {
  description: 'Any JSON value.',
  serialize: (value) => value,
  parseValue: readJson,
  parseLiteral: (node, variables) => readJson(valueFromASTUntyped(node, variables)),
});

// Postgres stores neither NUL nor half a surrogate pair; a caller learns it here and not from a failed insert.
function readJson(value: unknown): unknown {
  if (isStorable(value)) return value;
  throw graphqlError('BAD_USER_INPUT', 'Text must be well-formed Unicode without NUL.');
}

/** Whether every text inside a value can be stored. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, entry]) => isStorable(key) && isStorable(entry));
}
