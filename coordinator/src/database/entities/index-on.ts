/**
 * An index on exactly these columns, with an optional condition. Written as SQL because a relation stands for two
 * columns, the tenant's and its own, and only the second shall lead: seed 002 names such indexes on it alone, and an
 * index that begins with the tenant competes with the primary key for every foreign key check.
 */
export const indexOn = (name: string, table: string, columns: readonly string[], where?: string) =>
  written('index', name, table, columns, where);

/** The same for a key that no two rows share. */
export const uniqueOn = (name: string, table: string, columns: readonly string[]) =>
  written('unique index', name, table, columns);

/** A name once in each repository and once among what belongs to none: two nulls are equal here. */
export const nameOfOwner = (table: string) => ({
  name: `${table}_name_key`,
  expression: `create unique index "${table}_name_key" on "${table}" ("tenant_id", "repository_id", "name") nulls not distinct where deleted_at is null`,
});

const written = (kind: string, name: string, table: string, columns: readonly string[], where?: string) => ({
  name,
  expression: `create ${kind} "${name}" on "${table}" (${columns.map((column) => `"${column}"`).join(', ')})${
    where === undefined ? '' : ` where ${where}`
  }`,
});
