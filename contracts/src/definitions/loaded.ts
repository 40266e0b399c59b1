import type { AgentDefinition } from './agent-file.ts';
import type { Calibration } from './calibration.ts';
import type { CassetteEntry } from './cassette.ts';
import type { Problem } from './problem.ts';
import type { Project } from './project.ts';
import type { Suite } from './suite.ts';
import type { TestType } from './test-type.ts';

/** Where something stands in its file, counted from 1. */
export interface Position {
  line: number;
  column: number;
}

/** Where a case stands in the file of its suite; what a row of another file became stands there too, at its template. */
export interface CasePosition extends Position {
  row?: { file: string; line: number };
}

export interface LoadedSuite {
  /** Path of the suite file from the root of the repository, with `/`. */
  path: string;
  suite: Suite;
  agent: AgentDefinition;
  /** The agent's own file, or the suite's path when the agent is inline. */
  agentPath: string;
  testType: TestType;
  /** Labelled answers for its judge; absent where it names none, or where they cannot be read. */
  calibration?: Calibration;
  /** Recorded answers of its simulated tools; absent when it names none. */
  cassette?: readonly CassetteEntry[];
  /** Every file the suite depends on, itself first: what decides whether a change affects it. */
  dependsOn: string[];
  /** Where each case's name stands, for annotations. */
  casePositions: ReadonlyMap<string, CasePosition>;
  /** The file in which each case is written: the suite's own, or the one that it names. */
  caseFiles: ReadonlyMap<string, string>;
}

export interface LoadedDefinitions {
  project: Project;
  suites: LoadedSuite[];
}

export interface DefinitionSource {
  /** Suite files to load, relative to the root, sorted by the caller. */
  suitePaths: readonly string[];
  /** `proofmark.yaml` when there is one. */
  projectPath?: string;
  /**
   * The text of a file below the root; undefined when there is none. Called for every file that is referenced. Bytes
   * are decoded strictly, so a caller that has them should pass them on.
   */
  read: (path: string) => string | Uint8Array | undefined;
  /** Paths that match a pattern of the project file, such as `evals/*.type.yaml`. Absent: patterns match nothing. */
  glob?: (pattern: string) => readonly string[];
  /** Whether a file input exists; absent: the files of cases are not looked for. */
  exists?: (path: string) => boolean;
  /** Origins of files that are not public and may be fetched from all the same. Absent: none. */
  allowedOrigins?: ReadonlySet<string> | 'left to runners';
  /** Every file below the root, asked for when one is missing: to name the one that was probably meant. */
  paths?: () => readonly string[];
}

export interface LoadResult {
  /** Only suites without an error; the others are in `problems`. */
  definitions: LoadedDefinitions;
  /** The test types that the project's own files define, used or not; the built-in one is not among them. */
  testTypes: TestType[];
  problems: Problem[];
}

export interface LoadedWithAgents extends LoadResult {
  /** The agents that were asked for, by their paths, each in a suite of its own; one with an error is only in `problems`. */
  agents: ReadonlyMap<string, LoadedSuite>;
}
