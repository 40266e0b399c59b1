import { SchemaVersion } from '../authored/case-file.ts';
import { configurationFindings } from '../authored/configurations.ts';
import type { DefinitionSource } from '../definitions/loaded.ts';
import { Project } from '../definitions/project.ts';
import type { ProblemList } from '../parse/problem-list.ts';
import { readPartly } from '../parse/read-partly.ts';
import { isMapping } from '../parse/schema-plan.ts';
import { parseSource, reportAt, type SourceDocument } from '../parse/source-document.ts';

/** `proofmark.yaml` as it is written. */
export const ProjectFile = Project.extend({
  schema_version: SchemaVersion.optional().describe('Version of this format.'),
});

export interface ProjectReading {
  project: Project;
  document: SourceDocument | undefined;
  /** Names of AI configurations, also of those with an error; undefined when they cannot be told. */
  configurationNames: readonly string[] | undefined;
  /** Whether every test type that the project names is known; else a name that is missing proves nothing. */
  areTypesKnown: boolean;
}

/** The project file, as far as it can be used, or the defaults when there is none. */
export function readProject(
  { projectPath, read }: Pick<DefinitionSource, 'projectPath' | 'read'>,
  problems: ProblemList,
): ProjectReading {
  const defaults = { project: Project.parse({}), document: undefined };
  const unreadable = { ...defaults, configurationNames: undefined, areTypesKnown: false };
  if (projectPath === undefined) return { ...defaults, configurationNames: [], areTypesKnown: true };
  const content = read(projectPath);
  if (content === undefined) {
    problems.add({
      code: 'not_found',
      file: projectPath,
      line: 1,
      column: 1,
      path: '',
      message: 'the project file cannot be read',
    });
    return unreadable;
  }
  const document = parseSource(projectPath, content, problems);
  if (document === undefined) return unreadable;
  const { value, folded, findings, broken } = readPartly(ProjectFile, document.value);
  const written = isMapping(folded) && isMapping(folded.ai_configurations) ? folded.ai_configurations : {};
  const rules = Object.entries(written).flatMap(([name, raw]) =>
    configurationFindings(raw, ['ai_configurations', name]),
  );
  reportAt(problems, { document, base: [] }, [...findings, ...rules]);
  const { schema_version: _version, ...project } = value ?? ProjectFile.parse({});
  return {
    project,
    document,
    configurationNames: namesOf(folded, broken),
    areTypesKnown: value !== undefined && !broken.has('test_types'),
  };
}

/** One mistake in a configuration must not make every suite look wrong that names it. */
function namesOf(folded: unknown, broken: ReadonlySet<string>): readonly string[] | undefined {
  const written = isMapping(folded) ? folded.ai_configurations : undefined;
  if (isMapping(written)) return Object.keys(written);
  return broken.has('ai_configurations') ? undefined : [];
}
