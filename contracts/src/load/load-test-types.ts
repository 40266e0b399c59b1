import { TestTypeFile, VariablesDocument } from '../authored/test-type-file.ts';
import { typeFindings } from '../authored/variable-findings.ts';
import { BUILT_IN_TYPE, builtInType } from '../definitions/built-in-type.ts';
import { fileStem } from '../definitions/repository-path.ts';
import type { PossibleValue, TestType, VariableDefinition } from '../definitions/test-type.ts';
import { isBlocking } from '../parse/finding.ts';
import { snakeCase } from '../parse/key-spelling.ts';
import { readShape } from '../parse/read-shape.ts';
import { isMapping } from '../parse/schema-plan.ts';
import type { SourceDocument } from '../parse/source-document.ts';
import type { Configurations } from './configurations.ts';
import { type LoadContext, readReferenced } from './load-context.ts';
import type { ProjectReading } from './load-project.ts';
import { reportAt } from './located.ts';

type TypeContext = Pick<LoadContext, 'source' | 'problems'>;

/** All test types of a project by name, the built-in one included unless a file of the project replaces it. */
export function loadTestTypes(
  context: TypeContext,
  reading: ProjectReading,
  configurations: Configurations,
): LoadContext['testTypes'] {
  const values = possibleConfigurations(reading, configurations);
  const types = new Map<string, { type: TestType; path: string | undefined }>([
    [BUILT_IN_TYPE, { type: builtInType(values), path: undefined }],
  ]);
  const seen = new Map<string, string>();
  for (const { path, index } of typePaths(context, reading)) {
    const document = readReferenced(context, path, (missing) => {
      if (reading.document !== undefined)
        reportAt(context.problems, { document: reading.document, base: ['test_types', index] }, [
          { path: [], ...missing },
        ]);
    });
    const type = document === undefined ? undefined : readTestType(context, document, values);
    if (document === undefined || type === undefined) continue;
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
    types.set(type.name, { type, path });
  }
  return types;
}

/** `agent_eval` and `Agent Eval` are the built-in type's names in other documents. */
export function typeNamed(
  types: LoadContext['testTypes'],
  name: string,
): { type: TestType; path: string | undefined } | undefined {
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
): { path: string; index: number }[] {
  const found = project.test_types.flatMap((entry, index) => {
    const paths = isPattern(entry) ? (source.glob?.(entry) ?? []) : [entry];
    if (paths.length === 0 && document !== undefined) {
      const message = `no file matches \`${entry}\``;
      reportAt(problems, { document, base: ['test_types', index] }, [{ path: [], code: 'not_found', message }]);
    }
    return paths.map((path) => ({ path, index }));
  });
  return found.filter(({ path }, position) => found.findIndex((other) => other.path === path) === position);
}

const isPattern = (entry: string): boolean => /[*?[\]{}!]/.test(entry);

function readTestType(
  { problems }: TypeContext,
  document: SourceDocument,
  configurations: PossibleValue[],
): TestType | undefined {
  const isBare = !Object.keys(document.value).some((key) => snakeCase(key) === 'variables_schema');
  const reading = isBare ? readShape(VariablesDocument, document.value) : readShape(TestTypeFile, document.value);
  const schema = isBare ? reading.folded : isMapping(reading.folded) ? reading.folded.variables_schema : undefined;
  const variables: unknown = isMapping(schema) ? schema.variables : undefined;
  const base = isBare ? ['variables'] : ['variables_schema', 'variables'];
  const findings = [...reading.findings, ...(Array.isArray(variables) ? typeFindings(variables, base) : [])];
  reportAt(problems, { document, base: [] }, findings);
  if (reading.value === undefined || findings.some(isBlocking)) return undefined;
  const { name = fileStem(document.path), description, ...rest } = reading.value;
  const { variables: parsed } = 'variables_schema' in rest ? rest.variables_schema : rest;
  return {
    name,
    ...(description === undefined ? {} : { description }),
    variables_schema: {
      schemaVersion: '1.0',
      variables: parsed.map((variable) => withEntities(variable, configurations)),
    },
  };
}

/** A variable whose values are entities may be any AI configuration of the project. */
const withEntities = (variable: VariableDefinition, configurations: PossibleValue[]): VariableDefinition =>
  variable.valueSource === 'entity' ? { ...variable, possibleValues: configurations } : variable;
