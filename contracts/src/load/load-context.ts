import type { DefinitionSource } from '../definitions/loaded.ts';
import type { Project } from '../definitions/project.ts';
import type { TestType } from '../definitions/test-type.ts';
import type { Finding } from '../parse/finding.ts';
import { noSuchFile } from '../parse/near-file.ts';
import { didYouMean } from '../parse/near-match.ts';
import type { Path } from '../parse/path-text.ts';
import type { ProblemList } from '../parse/problem-list.ts';
import { parseSource, type SourceDocument } from '../parse/source-document.ts';
import type { Configurations } from './configurations.ts';
import type { LoadedAgent } from './loaded-agent.ts';
import type { Located } from './located.ts';

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

/** A file that some other file names, as a document; its absence is reported where it is named. */
export function readReferenced(
  { source, problems }: Pick<LoadContext, 'source' | 'problems'>,
  path: string,
  reportMissing: (finding: Omit<Finding, 'path'>) => void,
): SourceDocument | undefined {
  const content = source.read(path);
  if (content === undefined) {
    reportMissing({ code: 'not_found', message: noSuchFile(path, source.paths?.()) });
    return undefined;
  }
  return parseSource(path, content, problems);
}

/** The finding for a name that no AI configuration of the project has. */
export function unknownConfiguration(
  name: string,
  { configurations }: Pick<LoadContext, 'configurations'>,
  path: Path,
): Finding {
  const names = configurations.names();
  const hint =
    names.length === 0
      ? 'Add it under `ai_configurations` in proofmark.yaml, with `provider` and `model`.'
      : `The project has: ${names.slice(0, 20).join(', ')}.`;
  return {
    path,
    code: 'not_found',
    message: `there is no AI configuration \`${name}\`${didYouMean(name, names)}`,
    hint,
  };
}
