/**
 * An index on exactly these columns. Written as SQL because a relation stands for two columns, the tenant's and its own,
 * and seed 002 names indexes on the second alone.
 */
export const indexOn = (name: string, table: string, ...columns: string[]) => ({
  name,
  expression: `create index "${name}" on "${table}" (${columns.map((column) => `"${column}"`).join(', ')})`,
});
