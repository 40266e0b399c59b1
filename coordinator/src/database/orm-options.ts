import type { Options } from '@mikro-orm/postgresql';
import { allEntities } from './all-entities.ts';

/** What every connection to the ledger has in common, whoever it logs in as. */
export const ormOptions = {
  entities: allEntities,
  // Triggers stand in migrations, with the function that they call.
  schemaGenerator: { disableForeignKeys: false, createForeignKeyConstraints: true, ignoreTriggers: true },
  // Every request and every pass of a loop forks its own.
  allowGlobalContext: false,
} satisfies Options;
