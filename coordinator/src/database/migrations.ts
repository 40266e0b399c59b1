import type { Migration } from '@mikro-orm/migrations';
import { CreateTenantsAndAccess } from '../../migrations/0001-create-tenants-and-access.ts';
import { CreateDefinitions } from '../../migrations/0002-create-definitions.ts';
import { CreateRuns } from '../../migrations/0003-create-runs.ts';
import { CreateLedger } from '../../migrations/0004-create-ledger.ts';
import { CreateUpkeep } from '../../migrations/0005-create-upkeep.ts';
import { ProtectTenants } from '../../migrations/0006-protect-tenants.ts';
import { OwnDefinitions } from '../../migrations/0007-own-definitions.ts';
import { KeepCaseHistory } from '../../migrations/0008-keep-case-history.ts';
import { KeepTime } from '../../migrations/0009-keep-time.ts';
import { KeepBlobs } from '../../migrations/0010-keep-blobs.ts';
import { ShareCases } from '../../migrations/0011-share-cases.ts';
import { TakeOverResults } from '../../migrations/0012-take-over-results.ts';
import { KeepOrderOfKeys } from '../../migrations/0013-keep-order-of-keys.ts';
import { BoundHistory } from '../../migrations/0014-bound-history.ts';
import { StreamAnswers } from '../../migrations/0015-stream-answers.ts';
import { ShareSimulatedAnswers } from '../../migrations/0016-share-simulated-answers.ts';
import { LimitCalls } from '../../migrations/0017-limit-calls.ts';
import { JudgeAgain } from '../../migrations/0018-judge-again.ts';
import { MeasureJudges } from '../../migrations/0019-measure-judges.ts';
import { OrderSuiteRuns } from '../../migrations/0020-order-suite-runs.ts';
import { TellRemoved } from '../../migrations/0021-tell-removed.ts';
import { CloseInBatches } from '../../migrations/0022-close-in-batches.ts';
import { OneTenantARepository } from '../../migrations/0023-one-tenant-a-repository.ts';
import { RememberHolders } from '../../migrations/0024-remember-holders.ts';
import { CutRunsIntoChunks } from '../../migrations/0025-cut-runs-into-chunks.ts';
import { LetRowsCostLess } from '../../migrations/0026-let-rows-cost-less.ts';
import { QueueRunsInSteps } from '../../migrations/0027-queue-runs-in-steps.ts';
import { AskModelsAsWritten } from '../../migrations/0028-ask-models-as-written.ts';
import { WaitTogether } from '../../migrations/0029-wait-together.ts';
import { SayWhoMayServe } from '../../migrations/0030-say-who-may-serve.ts';
import { KeepWhatIsShown } from '../../migrations/0031-keep-what-is-shown.ts';
import { IndexWhatIsRead } from '../../migrations/0032-index-what-is-read.ts';
import { IndexTenantsPlainly } from '../../migrations/0033-index-tenants-plainly.ts';
import { KeepWhatModelsRefused } from '../../migrations/0034-keep-what-models-refused.ts';
import { NameBaseBranches } from '../../migrations/0035-name-base-branches.ts';
import { NamePools } from '../../migrations/0036-name-pools.ts';
import { LimitCallsUnderWay } from '../../migrations/0037-limit-calls-under-way.ts';
import { MarkUnverified } from '../../migrations/0038-mark-unverified.ts';
import { OwnInstallations } from '../../migrations/0039-own-installations.ts';
import { SendExtraFields } from '../../migrations/0040-send-extra-fields.ts';
import { KeepPayloadsWithResults } from '../../migrations/0041-keep-payloads-with-results.ts';
import { SayWhatRunsAreAbout } from '../../migrations/0042-say-what-runs-are-about.ts';
import { IndexWhatIsFiltered } from '../../migrations/0043-index-what-is-filtered.ts';
import { JoinJobs } from '../../migrations/0044-join-jobs.ts';
import { StoreTextsAsTheyAre } from '../../migrations/0045-store-texts-as-they-are.ts';
import { SayWhenTokensWereRotated } from '../../migrations/0046-say-when-tokens-were-rotated.ts';

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
 * In the order in which they run. A migration that was released is never edited; a change is a new one. What takes something
 * away comes a release after what replaces it. An index on a table that grows with runs is built beside the writers
 * (`concurrently`, in a migration without a transaction), and a constraint is added `not valid` and validated by the next.
 */
export const migrations: readonly MigrationStep[] = [
  { name: '0001-create-tenants-and-access', class: CreateTenantsAndAccess },
  { name: '0002-create-definitions', class: CreateDefinitions },
  { name: '0003-create-runs', class: CreateRuns },
  { name: '0004-create-ledger', class: CreateLedger },
  { name: '0005-create-upkeep', class: CreateUpkeep },
  { name: '0006-protect-tenants', class: ProtectTenants },
  { name: '0007-own-definitions', class: OwnDefinitions },
  { name: '0008-keep-case-history', class: KeepCaseHistory },
  { name: '0009-keep-time', class: KeepTime },
  { name: '0010-keep-blobs', class: KeepBlobs },
  { name: '0011-share-cases', class: ShareCases },
  { name: '0012-take-over-results', class: TakeOverResults },
  { name: '0013-keep-order-of-keys', class: KeepOrderOfKeys },
  { name: '0014-bound-history', class: BoundHistory },
  { name: '0015-stream-answers', class: StreamAnswers },
  { name: '0016-share-simulated-answers', class: ShareSimulatedAnswers },
  { name: '0017-limit-calls', class: LimitCalls },
  { name: '0018-judge-again', class: JudgeAgain },
  { name: '0019-measure-judges', class: MeasureJudges },
  { name: '0020-order-suite-runs', class: OrderSuiteRuns },
  { name: '0021-tell-removed', class: TellRemoved },
  { name: '0022-close-in-batches', class: CloseInBatches },
  { name: '0023-one-tenant-a-repository', class: OneTenantARepository },
  { name: '0024-remember-holders', class: RememberHolders },
  { name: '0025-cut-runs-into-chunks', class: CutRunsIntoChunks },
  { name: '0026-let-rows-cost-less', class: LetRowsCostLess },
  { name: '0027-queue-runs-in-steps', class: QueueRunsInSteps },
  { name: '0028-ask-models-as-written', class: AskModelsAsWritten },
  { name: '0029-wait-together', class: WaitTogether },
  { name: '0030-say-who-may-serve', class: SayWhoMayServe },
  { name: '0031-keep-what-is-shown', class: KeepWhatIsShown },
  { name: '0032-index-what-is-read', class: IndexWhatIsRead },
  { name: '0033-index-tenants-plainly', class: IndexTenantsPlainly },
  { name: '0034-keep-what-models-refused', class: KeepWhatModelsRefused },
  { name: '0035-name-base-branches', class: NameBaseBranches },
  { name: '0036-name-pools', class: NamePools },
  { name: '0037-limit-calls-under-way', class: LimitCallsUnderWay },
  { name: '0038-mark-unverified', class: MarkUnverified },
  { name: '0039-own-installations', class: OwnInstallations },
  { name: '0040-send-extra-fields', class: SendExtraFields },
  { name: '0041-keep-payloads-with-results', class: KeepPayloadsWithResults },
  { name: '0042-say-what-runs-are-about', class: SayWhatRunsAreAbout },
  { name: '0043-index-what-is-filtered', class: IndexWhatIsFiltered },
  { name: '0044-join-jobs', class: JoinJobs },
  { name: '0045-store-texts-as-they-are', class: StoreTextsAsTheyAre },
  { name: '0046-say-when-tokens-were-rotated', class: SayWhenTokensWereRotated },
];
