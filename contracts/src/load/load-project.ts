import { SchemaVersion } from '../authored/case-file.ts';
import type { DefinitionSource } from '../definitions/loaded.ts';
import { Project } from '../definitions/project.ts';
import type { ProblemList } from '../parse/problem-list.ts';
import { readShape } from '../parse/read-shape.ts';
import { isMapping } from '../parse/schema-plan.ts';
import { parseSource, type SourceDocument } from '../parse/source-document.ts';
import { reportAt } from './located.ts';

/** `proofmark.yaml` as it is written. */
export const ProjectFile = Project.extend({
  schema_version: SchemaVersion.optional().describe('Version of this format.'),
});

export interface ProjectReading {
  project: Project;
  document: SourceDocument | undefined;
}

/** The project file, or the defaults when there is none or it cannot be used. */
export function readProject(
  { projectPath, read }: Pick<DefinitionSource, 'projectPath' | 'read'>,
  problems: ProblemList,
): ProjectReading {
  const fallback: ProjectReading = { project: Project.parse({}), document: undefined };
  if (projectPath === undefined) return fallback;
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
    return fallback;
  }
  const document = parseSource(projectPath, content, problems);
  if (document === undefined) return fallback;
  const { value, folded, findings } = readShape(ProjectFile, document.value);
  reportAt(problems, { document, base: [] }, findings);
  const { schema_version: _version, ...project } = value ?? ProjectFile.parse(usableKeys(folded));
  return { project, document };
}

/** The keys of a wrong project file that are right by themselves: one mistake must not make every suite look wrong. */
function usableKeys(folded: unknown): Record<string, unknown> {
  if (!isMapping(folded)) return {};
  const usable = Object.entries(folded).filter(
    ([key, value]) => ProjectFile.partial().safeParse({ [key]: value }).success,
  );
  return Object.fromEntries(usable);
}
