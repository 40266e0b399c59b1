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
  serialize: (value) => isoTime(value),
  parseValue: readDateTime,
  parseLiteral: (node) => readDateTime(node.kind === Kind.STRING ? node.value : undefined),
});

/** As Postgres writes it, `2026-01-31 12:00:00.123456+00`: its time zone is that of our connections. */
const stored = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/;

/** Postgres' own form is put together anew, for a date is read and written many times as slowly. */
export function isoTime(value: Date | string): string {
  const [, day, time, fraction = ''] = typeof value === 'string' ? (stored.exec(value) ?? []) : [];
  return day === undefined ? new Date(value).toISOString() : `${day}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

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
