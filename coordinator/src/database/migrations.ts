import type { Migration } from '@mikro-orm/migrations';
import { KeepTenantsAndAccess } from '../../migrations/0001-keep-tenants-and-access.ts';
import { KeepDefinitions } from '../../migrations/0002-keep-definitions.ts';
import { KeepRuns } from '../../migrations/0003-keep-runs.ts';
import { KeepTheLedger } from '../../migrations/0004-keep-the-ledger.ts';
import { KeepRunners } from '../../migrations/0005-keep-runners.ts';
import { KeepWhatVerdictsNeed } from '../../migrations/0006-keep-what-verdicts-need.ts';
import { KeepGithubDelivery } from '../../migrations/0007-keep-github-delivery.ts';
import { RememberUpkeep } from '../../migrations/0008-remember-upkeep.ts';
import { ProtectTenants } from '../../migrations/0009-protect-tenants.ts';
import { RememberWhoJoined } from '../../migrations/0010-remember-who-joined.ts';
import { SignBrowsersIn } from '../../migrations/0011-sign-browsers-in.ts';
import { NoteChanges } from '../../migrations/0012-note-changes.ts';
import { GiveRoles } from '../../migrations/0013-give-roles.ts';
import { KnowPeopleByProvider } from '../../migrations/0014-know-people-by-provider.ts';
import { KeepASecret } from '../../migrations/0015-keep-a-secret.ts';

export const migrationsTable = 'schema_migrations';

export interface MigrationStep {
  name: string;
  class: new (...given: ConstructorParameters<typeof Migration>) => Migration;
  /**
   * It takes away what older coordinators use: one that does not know this earlier step can serve no more. Without it, the
   * step only adds, and whoever serves goes on.
   */
  needs?: string;
}

/**
 * In the order in which they run. The first nine are the schema as it was at the first release, a chapter each. A migration that was released is never edited; a change is a new one. What takes something
 * away comes a release after what replaces it. An index on a table that grows with runs is built beside the writers
 * (`concurrently`, in a migration without a transaction), and a constraint is added `not valid` and validated by the next.
 */
export const migrations: readonly MigrationStep[] = [
  { name: '0001-keep-tenants-and-access', class: KeepTenantsAndAccess },
  { name: '0002-keep-definitions', class: KeepDefinitions },
  { name: '0003-keep-runs', class: KeepRuns },
  { name: '0004-keep-the-ledger', class: KeepTheLedger },
  { name: '0005-keep-runners', class: KeepRunners },
  { name: '0006-keep-what-verdicts-need', class: KeepWhatVerdictsNeed },
  { name: '0007-keep-github-delivery', class: KeepGithubDelivery },
  { name: '0008-remember-upkeep', class: RememberUpkeep },
  { name: '0009-protect-tenants', class: ProtectTenants },
  { name: '0010-remember-who-joined', class: RememberWhoJoined },
  { name: '0011-sign-browsers-in', class: SignBrowsersIn },
  { name: '0012-note-changes', class: NoteChanges },
  { name: '0013-give-roles', class: GiveRoles },
  { name: '0014-know-people-by-provider', class: KnowPeopleByProvider },
  { name: '0015-keep-a-secret', class: KeepASecret },
];

/** Why no version carries on a schema that began with the migration `first`; undefined where this one does. */
export function whyNotCarriedOn(first: string | undefined): string | undefined {
  const begin = migrations[0]?.name;
  if (first === undefined || first === begin) return undefined;
  return `The schema of this database was made before the first release (it begins with ${first} and not with ${begin}), and no release carries it on: make an empty database, put it into DATABASE_URL, PROOFMARK_APP_DATABASE_URL and PROOFMARK_WORKER_DATABASE_URL, and run the migrations (db:migrate)`;
}
