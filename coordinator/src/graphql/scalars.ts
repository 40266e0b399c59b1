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
  description: 'A JSON value of any kind.',
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: (node, variables) => valueFromASTUntyped(node, variables),
});
