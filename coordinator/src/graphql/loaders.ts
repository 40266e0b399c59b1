import DataLoader from 'dataloader';
import type { Database } from '../database/connect.ts';
import { type AgentSnapshotView, readAgentSnapshots } from './read/agent-snapshots.ts';
import { type AgentView, selectAgents } from './read/agent-view.ts';
import { readNamed } from './read/named-rows.ts';
import {
  type AiConfigurationView,
  selectAiConfigurations,
  selectTestTypes,
  type TestTypeView,
} from './read/shared-definition-views.ts';
import { readSpentOfRuns, readSpentOfSuiteRuns, type Spent } from './read/spent-usd.ts';
import { readSuiteRuns, readSuiteRunsOf, type SuiteRunView } from './read/suite-run-view.ts';
import { readTranscripts, type TranscriptView } from './read/transcripts.ts';

export interface Loaders {
  suiteRun: DataLoader<string, SuiteRunView | null>;
  suiteRunsOf: DataLoader<string, SuiteRunView[]>;
  agentSnapshot: DataLoader<string, AgentSnapshotView | null>;
  transcript: DataLoader<string, TranscriptView | null>;
  /** What it has cost so far, with what helped to judge it. */
  spentOfSuiteRun: DataLoader<string, Spent | null>;
  spentOfRun: DataLoader<string, Spent | null>;
  agent: DataLoader<string, AgentView | null>;
  aiConfiguration: DataLoader<string, AiConfigurationView | null>;
  testType: DataLoader<string, TestTypeView | null>;
}

// What a suite points at may be seen by whoever may see the suite.
const ofAll = { repositoryId: null };

/** Loaders of one request: what a page of rows needs of another table is asked for once. */
export function makeLoaders(database: Database, tenantId: string): Loaders {
  return {
    suiteRun: byId((ids) => readSuiteRuns(database, tenantId, ids)),
    agentSnapshot: byId((ids) => readAgentSnapshots(database, tenantId, ids)),
    transcript: byId((ids) => readTranscripts(database, tenantId, ids)),
    spentOfSuiteRun: byId((ids) => readSpentOfSuiteRuns(database, tenantId, ids)),
    spentOfRun: byId((ids) => readSpentOfRuns(database, tenantId, ids)),
    agent: byId((ids) => readNamed(database, tenantId, selectAgents(ofAll), ids)),
    aiConfiguration: byId((ids) => readNamed(database, tenantId, selectAiConfigurations(ofAll), ids)),
    testType: byId((ids) => readNamed(database, tenantId, selectTestTypes(ofAll), ids)),
    suiteRunsOf: new DataLoader(async (runIds) => {
      const suiteRuns = await readSuiteRunsOf(database, tenantId, runIds);
      return runIds.map((runId) => suiteRuns.filter((suiteRun) => suiteRun.runId === runId));
    }),
  };
}

function byId<Row extends { id: string }>(
  read: (ids: readonly string[]) => Promise<Row[]>,
): DataLoader<string, Row | null> {
  return new DataLoader(async (ids) => {
    const rows = new Map((await read(ids)).map((row) => [row.id, row]));
    return ids.map((id) => rows.get(id) ?? null);
  });
}
