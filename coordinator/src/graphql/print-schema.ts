import { lexicographicSortSchema, printSchema as print } from 'graphql';
import { schema } from './schema.ts';

/** The text of `schema.graphql`: sorted, so that only real changes show. */
export function printSchema(): string {
  return `${print(lexicographicSortSchema(schema))}\n`;
}
