import type { Migration } from '@mikro-orm/migrations';
import { KeepTenantsAndAccess } from '../../migrations/0001-keep-tenants-and-access.ts';
import { KeepDefinitions } from '../../migrations/0002-keep-definitions.ts';
import { KeepRuns } from '../../migrations/0003-keep-runs.ts';
import { KeepTheLedger } from '../../migrations/0004-keep-the-ledger.ts';
import { KeepRunners } from '../../migrations/0005-keep-runners.ts';
import { KeepWhatVerdictsNeed } from '../../migrations/0006-keep-what-verdicts-need.ts';
import { KeepGithubDelivery } from '../../migrations/0007-keep-github-delivery.ts';
import { RememberUpkeep } from '../../migrations/0008-remember-upkeep.ts';
import { NoteChanges } from '../../migrations/0009-note-changes.ts';
import { ProtectTenants } from '../../migrations/0010-protect-tenants.ts';
import { KeepRowsOfCases } from '../../migrations/0011-keep-rows-of-cases.ts';
import { ListCasesByAge } from '../../migrations/0012-list-cases-by-age.ts';
import { FindCasesByName } from '../../migrations/0013-find-cases-by-name.ts';
import { FindParkedDeliveries } from '../../migrations/0014-find-parked-deliveries.ts';
import { PageThroughResults } from '../../migrations/0015-page-through-results.ts';
import { KeepOneOrderOfResults } from '../../migrations/0016-keep-one-order-of-results.ts';
import { KeepOneResultOfACase } from '../../migrations/0017-keep-one-result-of-a-case.ts';
import { NameCasesOnce } from '../../migrations/0018-name-cases-once.ts';
import { KeepFewerIndexes } from '../../migrations/0019-keep-fewer-indexes.ts';
import { CheckTenantsOnce } from '../../migrations/0020-check-tenants-once.ts';
import { CheckCasesOnce } from '../../migrations/0021-check-cases-once.ts';

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
 * In the order in which they run. The first ten are the chapters of the schema, as it is at the first release. A migration that was
 * released is never edited; a change is a new one. What takes something away comes a release after what replaces it. An index on a
 * table that grows with runs is built beside the writers (`concurrently`, in a migration without a transaction), and a constraint is
 * added `not valid` and validated by the next.
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
  { name: '0009-note-changes', class: NoteChanges },
  { name: '0010-protect-tenants', class: ProtectTenants },
  { name: '0011-keep-rows-of-cases', class: KeepRowsOfCases },
  { name: '0012-list-cases-by-age', class: ListCasesByAge },
  { name: '0013-find-cases-by-name', class: FindCasesByName },
  { name: '0014-find-parked-deliveries', class: FindParkedDeliveries },
  { name: '0015-page-through-results', class: PageThroughResults },
  { name: '0016-keep-one-order-of-results', class: KeepOneOrderOfResults },
  { name: '0017-keep-one-result-of-a-case', class: KeepOneResultOfACase },
  { name: '0018-name-cases-once', class: NameCasesOnce },
  { name: '0019-keep-fewer-indexes', class: KeepFewerIndexes },
  { name: '0020-check-tenants-once', class: CheckTenantsOnce },
  { name: '0021-check-cases-once', class: CheckCasesOnce },
];

/** Why no version carries on a schema on which the migrations `ran`; undefined where this one does. */
export function whyNotCarriedOn(ran: readonly string[]): string | undefined {
  const number = (name: string) => name.slice(0, 4);
  for (const old of ran) {
    const known = migrations.find(({ name }) => number(name) === number(old))?.name ?? old;
    if (known !== old)
      return `The schema of this database was made before the first release (it has ${old} and not ${known}), and no release carries it on: make an empty database, put it into DATABASE_URL, PROOFMARK_APP_DATABASE_URL and PROOFMARK_WORKER_DATABASE_URL, and run the migrations (db:migrate)`;
  }
  return undefined;
}
