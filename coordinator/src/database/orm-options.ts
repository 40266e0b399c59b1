import type { Options } from '@mikro-orm/postgresql';
import { Agent } from './entities/agent.ts';
import { AgentSnapshot } from './entities/agent-snapshot.ts';
import { AgentTestSuite } from './entities/agent-test-suite.ts';
import { Alert } from './entities/alert.ts';
import { AlertChannel } from './entities/alert-channel.ts';
import { ApiToken } from './entities/api-token.ts';
import { AttemptUsage } from './entities/attempt-usage.ts';
import { AuditEntry } from './entities/audit-entry.ts';
import { Baseline } from './entities/baseline.ts';
import { Blob, RunBlob } from './entities/blob.ts';
import { CallHolder } from './entities/call-holder.ts';
import { CaseSummary } from './entities/case-summary.ts';
import { Chunk } from './entities/chunk.ts';
import { CoordinatorBeat } from './entities/coordinator-beat.ts';
import { DeadLetter } from './entities/dead-letter.ts';
import { DefinitionFile } from './entities/definition-file.ts';
import { InstallationOwner } from './entities/installation-owner.ts';
import { InstallationPace } from './entities/installation-pace.ts';
import { JudgeCalibration } from './entities/judge-calibration.ts';
import { ModelConfiguration } from './entities/model-configuration.ts';
import { OutboxEntry } from './entities/outbox-entry.ts';
import { PlannedTestRun } from './entities/planned-test-run.ts';
import { Preset } from './entities/preset.ts';
import { PullRequestState } from './entities/pull-request-state.ts';
import { QueuePlanPart, StoredQueuePlan } from './entities/queue-plan.ts';
import { RateBucket } from './entities/rate-bucket.ts';
import { Repository } from './entities/repository.ts';
import { RetentionPass } from './entities/retention-pass.ts';
import { Run } from './entities/run.ts';
import { RunFile } from './entities/run-file.ts';
import { RunnerSession } from './entities/runner-session.ts';
import { ScheduledRun } from './entities/scheduled-run.ts';
import { SchemaNeed } from './entities/schema-need.ts';
import { SimulatedAnswer } from './entities/simulated-answer.ts';
import { StoredSecret } from './entities/stored-secret.ts';
import { SuiteRunFacet } from './entities/suite-run-facet.ts';
import { SystemSetting } from './entities/system-setting.ts';
import { Tenant } from './entities/tenant.ts';
import { TestCase } from './entities/test-case.ts';
import { TestCaseResult } from './entities/test-case-result.ts';
import { TestSuiteMember } from './entities/test-suite-member.ts';
import { TestSuiteRun } from './entities/test-suite-run.ts';
import { TestType } from './entities/test-type.ts';
import { UsedTokenId } from './entities/used-token-id.ts';
import { User } from './entities/user.ts';
import { WebhookDelivery } from './entities/webhook-delivery.ts';
import { WorkContent } from './entities/work-content.ts';

/** Every table of the schema, as the ORM and the catalogue tests see it. */
const allEntities = [
  AgentSnapshot,
  AgentTestSuite,
  Agent,
  AlertChannel,
  Alert,
  ApiToken,
  AttemptUsage,
  AuditEntry,
  Baseline,
  Blob,
  CallHolder,
  CaseSummary,
  Chunk,
  CoordinatorBeat,
  DeadLetter,
  DefinitionFile,
  InstallationPace,
  JudgeCalibration,
  ModelConfiguration,
  OutboxEntry,
  SuiteRunFacet,
  PlannedTestRun,
  Preset,
  PullRequestState,
  RateBucket,
  Repository,
  RetentionPass,
  RunBlob,
  RunFile,
  Run,
  RunnerSession,
  ScheduledRun,
  SchemaNeed,
  SimulatedAnswer,
  StoredSecret,
  SystemSetting,
  Tenant,
  TestCaseResult,
  TestCase,
  TestSuiteMember,
  TestSuiteRun,
  TestType,
  InstallationOwner,
  UsedTokenId,
  User,
  WebhookDelivery,
  StoredQueuePlan,
  QueuePlanPart,
  WorkContent,
];

/** What every connection to the ledger has in common, whoever it logs in as. */
export const ormOptions = {
  entities: allEntities,
  // Triggers stand in migrations, with the function that they call.
  schemaGenerator: { disableForeignKeys: false, createForeignKeyConstraints: true, ignoreTriggers: true },
  // Every request and every pass of a loop forks its own.
  allowGlobalContext: false,
} satisfies Options;
