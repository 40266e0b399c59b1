import { type Configurations, configurationFindings } from '../authored/configurations.ts';
import { ProjectFile } from '../authored/suite-file.ts';
import { TestTypeFile, typeFindings, VariablesDocument } from '../authored/test-type-file.ts';
import { BUILT_IN_TYPE, builtInType } from '../definitions/built-in-type.ts';
import type { DefinitionSource } from '../definitions/loaded.ts';
import { Project } from '../definitions/project.ts';
import { fileStem } from '../definitions/repository-path.ts';
import type { PossibleValue, TestType, VariableDefinition, VariablesSchema } from '../definitions/test-type.ts';
import { type Finding, isBlocking, type Path, type ProblemList } from '../parse/finding.ts';
import { readPartly } from '../parse/read-partly.ts';
import { isMapping, snakeCase } from '../parse/schema-plan.ts';
import { type Located, parseSource, readReferenced, reportAt, type SourceDocument } from '../parse/source-document.ts';
import type { KnownType, LoadContext } from '../review/suite-review.ts';

interface ProjectReading {
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

type TypeContext = Pick<LoadContext, 'source' | 'problems'>;

/** All test types of a project by name, the built-in one included unless a file of the project replaces it. */
export function loadTestTypes(
  context: TypeContext,
  reading: ProjectReading,
  configurations: Configurations,
): Pick<LoadContext, 'testTypes' | 'areTypesKnown'> {
  const values = possibleConfigurations(reading, configurations);
  const builtIn = {
    type: builtInType(values),
    path: undefined,
    isWhole: true,
    located: undefined,
    wrongVariables: new Set<string>(),
  };
  const types = new Map<string, KnownType>([[BUILT_IN_TYPE, builtIn]]);
  const seen = new Map<string, string>();
  const { paths, areAllFound } = typePaths(context, reading);
  let areTypesKnown = reading.areTypesKnown && areAllFound;
  for (const { path, index } of paths) {
    const document = readReferenced(context, path, (missing) => {
      if (reading.document !== undefined)
        reportAt(context.problems, { document: reading.document, base: ['test_types', index] }, [
          { path: [], ...missing },
        ]);
    });
    const read = document === undefined ? undefined : readTestType(context, document, values);
    if (read === undefined) areTypesKnown = false;
    if (document === undefined || read === undefined) continue;
    const { type } = read;
    const first = seen.get(type.name);
    if (first !== undefined) {
      reportAt(context.problems, { document, base: [] }, [
        {
          path: ['name'],
          code: 'duplicate',
          message: `test type \`${type.name}\` is defined twice, first in ${first}`,
        },
      ]);
      continue;
    }
    seen.set(type.name, path);
    types.set(type.name, { ...read, path });
  }
  return { testTypes: types, areTypesKnown };
}

/** `agent_eval` and `Agent Eval` are the built-in type's names in other documents. */
export function typeNamed(types: LoadContext['testTypes'], name: string): KnownType | undefined {
  return types.get(name) ?? (['agent_eval', 'Agent Eval'].includes(name) ? types.get(BUILT_IN_TYPE) : undefined);
}

function possibleConfigurations({ project }: ProjectReading, { authored }: Configurations): PossibleValue[] {
  return authored.map((name) => {
    const { label, description } = project.ai_configurations[name] ?? {};
    return {
      value: name,
      ...(label === undefined ? {} : { label }),
      ...(description === undefined ? {} : { description }),
    };
  });
}

function typePaths(
  { source, problems }: TypeContext,
  { project, document }: ProjectReading,
): { paths: { path: string; index: number }[]; areAllFound: boolean } {
  let areAllFound = true;
  const found = project.test_types.flatMap((entry, index) => {
    const paths = isPattern(entry) ? (source.glob?.(entry) ?? []) : [entry];
    areAllFound &&= paths.length > 0;
    if (paths.length === 0 && document !== undefined) {
      const message = `no file matches \`${entry}\``;
      reportAt(problems, { document, base: ['test_types', index] }, [{ path: [], code: 'not_found', message }]);
    }
    return paths.map((path) => ({ path, index }));
  });
  const paths = found.filter(({ path }, position) => found.findIndex((other) => other.path === path) === position);
  return { paths, areAllFound };
}

const isPattern = (entry: string): boolean => /[*?[\]{}!]/.test(entry);

function readTestType(
  { problems }: TypeContext,
  document: SourceDocument,
  configurations: PossibleValue[],
): Omit<KnownType, 'path'> | undefined {
  const isBare = !Object.keys(document.value).some((key) => snakeCase(key) === 'variables_schema');
  const standIn: VariablesSchema = { schemaVersion: '1.0', variables: [] };
  const reading = isBare
    ? readPartly(VariablesDocument, document.value, standIn)
    : readPartly(TestTypeFile, document.value, { variables_schema: standIn });
  const schema = isBare ? reading.folded : isMapping(reading.folded) ? reading.folded.variables_schema : undefined;
  const variables: unknown = isMapping(schema) ? schema.variables : undefined;
  const base = isBare ? ['variables'] : ['variables_schema', 'variables'];
  const findings = [...reading.findings, ...(Array.isArray(variables) ? typeFindings(variables, base) : [])];
  reportAt(problems, { document, base: [] }, findings);
  if (reading.value === undefined) return undefined;
  const { name = fileStem(document.path), description, ...rest } = reading.value;
  const { variables: parsed } = 'variables_schema' in rest ? rest.variables_schema : rest;
  const type: TestType = {
    name,
    ...(description === undefined ? {} : { description }),
    variables_schema: {
      schemaVersion: '1.0',
      variables: parsed.map((variable) => withEntities(variable, configurations)),
    },
  };
  const isWhole = !findings.some(isBlocking);
  const restored = (path: Path): Path => reading.restore([...base, ...path]).slice(base.length);
  const located: Located = { document, base, restore: restored };
  return {
    type,
    isWhole,
    located,
    wrongVariables: isWhole ? new Set() : wrongVariables(variables, findings, base.length),
  };
}

/** The names of variables that have an error; undefined when one of them has no name that can be read. */
function wrongVariables(variables: unknown, findings: readonly Finding[], depth: number): Set<string> | undefined {
  if (!Array.isArray(variables)) return undefined;
  const wrong = findings.filter((finding) => isBlocking(finding) && finding.path.length > depth);
  const names = wrong.map(({ path }): unknown => {
    const variable: unknown = variables[Number(path[depth])];
    return isMapping(variable) ? variable.name : undefined;
  });
  return names.every((name) => typeof name === 'string') ? new Set(names) : undefined;
}

/** A variable whose values are entities may be any AI configuration of the project. */
const withEntities = (variable: VariableDefinition, configurations: PossibleValue[]): VariableDefinition =>
  variable.valueSource === 'entity' ? { ...variable, possibleValues: configurations } : variable;
