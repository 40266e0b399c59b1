import type { AgentHeader } from '../authored/agent-document.ts';
import type { Configurations } from '../authored/configurations.ts';
import type { AgentDefinition } from '../definitions/agent-file.ts';
import type { CasePosition, DefinitionSource } from '../definitions/loaded.ts';
import type { Project } from '../definitions/project.ts';
import type { Suite } from '../definitions/suite.ts';
import type { TestCase } from '../definitions/test-case.ts';
import type { TestType, VariableDefinition } from '../definitions/test-type.ts';
import type { Finding, ProblemList } from '../parse/finding.ts';
import type { Located } from '../parse/source-document.ts';

/** A suite as far as it could be read. What is undefined cannot be told, and nothing is said that depends on it. */
export interface SuiteReview {
  located: Located;
  suite: Suite;
  /** Keys of the suite with an error: what is missing there says nothing. */
  broken: ReadonlySet<string>;
  cases: readonly LoadedCase[];
  areAllCasesRead: boolean;
  agent: LoadedAgent | undefined;
  testType: KnownType | undefined;
  variables: UsableVariables | undefined;
  /** Where the metrics stand: here, or in the agent's file, as HoloDeck writes them. */
  evaluationsOwner: Located | undefined;
  /** Names of the configured metrics, those with an error too. */
  metricNames: readonly string[] | undefined;
}

export interface LoadedCase {
  testCase: TestCase;
  located: Located;
  /** Where the suite file mentions the case. */
  position: CasePosition;
  sortOrder: number;
  /** Keys with an error: what is missing there says nothing. */
  broken: ReadonlySet<string>;
}

/** An agent as far as it could be read. */
export interface LoadedAgent {
  agent: AgentDefinition;
  header: AgentHeader;
  /** Files that the agent is made of, beside the one it stands in. */
  dependsOn: string[];
  /** Cases and metrics that stand in the agent's file, as HoloDeck writes them. */
  testCases: unknown;
  located: Located;
  /** Keys with an error: what is missing there says nothing. */
  broken: ReadonlySet<string>;
  /** Names of its tools, those with an error too; undefined when not every name can be read. */
  toolNames: readonly string[] | undefined;
  /** The same of its metrics. */
  metricNames: readonly string[] | undefined;
}

/** A test type as far as it could be read. */
export interface KnownType {
  type: TestType;
  /** The built-in one has no file. */
  path: string | undefined;
  isWhole: boolean;
  /** Where its list of variables stands. */
  located: Located | undefined;
  /** Names of variables with an error, about whose values nothing is said; undefined when not all names can be read. */
  wrongVariables: ReadonlySet<string> | undefined;
}

/** What is known while files are read: the project, and where problems go. */
export interface LoadContext {
  source: DefinitionSource;
  problems: ProblemList;
  project: Project;
  configurations: Configurations;
  testTypes: ReadonlyMap<string, KnownType>;
  /** Whether a test type that is not among them is missing. */
  areTypesKnown: boolean;
  /** Agent files already read: many suites test one agent. */
  agents: Map<string, { agent: LoadedAgent | undefined }>;
}

/** The variables of a test type that suites can be checked against, although some of them may have an error. */
export interface UsableVariables {
  /** All of them; a wrong one only lends its name. */
  all: readonly VariableDefinition[];
  wrong: ReadonlySet<string>;
}

/** Undefined when nothing can be told: then no name is known to be wrong. */
export function usableVariables(
  known: Pick<KnownType, 'type' | 'wrongVariables'> | undefined,
): UsableVariables | undefined {
  const wrong = known?.wrongVariables;
  if (known === undefined || wrong === undefined) return undefined;
  const right = known.type.variables_schema.variables.filter(({ name }) => !wrong.has(name));
  const standIns = [...wrong].map(
    (name): VariableDefinition => ({
      name,
      dataType: 'string',
      valueSource: 'freeform',
      required: false,
    }),
  );
  return { all: [...right, ...standIns], wrong };
}

/** Without what was found about the values of variables that have an error themselves. */
export const withoutWrong = (findings: readonly Finding[], { wrong }: UsableVariables): Finding[] =>
  findings.filter(({ path }) => !path.some((segment) => typeof segment === 'string' && wrong.has(segment)));
