import { unknownConfiguration } from '../authored/configurations.ts';
import {
  isGiven,
  overrideFindings,
  pairFindings,
  suiteValueFindings,
  unknownVariable,
} from '../authored/test-type-file.ts';
import { steeringProblem, steersModel } from '../definitions/built-in-type.ts';
import type { Project } from '../definitions/project.ts';
import type { Suite } from '../definitions/suite.ts';
import type { TestCase } from '../definitions/test-case.ts';
import type { VariableDefinition } from '../definitions/test-type.ts';
import type { VariableValue } from '../definitions/variables.ts';
import { type Finding, type Path, warning } from '../parse/finding.ts';
import { reportAt } from '../parse/source-document.ts';
import {
  type LoadContext,
  type SuiteReview,
  type UsableVariables,
  usableVariables,
  withoutWrong,
} from './suite-review.ts';

const MAX_CELLS = 256;
const MAX_TEST_RUNS = 100_000;

/** Whether the values that a suite and its matrix give are values that the test type allows. */
export function suiteVariableFindings(suite: Suite, variables: readonly VariableDefinition[]): Finding[] {
  const cells = (list: readonly Record<string, VariableValue>[], key: string): Finding[] =>
    list.flatMap((cell, index) => [
      ...suiteValueFindings(variables, cell, ['matrix', key, index]),
      ...pairFindings(variables, cell, ['matrix', key, index]),
    ]);
  return [
    ...suiteValueFindings(variables, suite.variables, ['variables']),
    ...pairFindings(variables, suite.variables, ['variables']),
    ...Object.entries(suite.matrix).flatMap(([name, values]) => axisFindings(variables, name, values)),
    ...cells(suite.matrix_include, 'include'),
    ...cells(suite.matrix_exclude, 'exclude'),
    ...sizeFindings(suite),
    ...missingValueFindings(suite, variables),
  ];
}

function axisFindings(
  variables: readonly VariableDefinition[],
  name: string,
  values: readonly VariableValue[],
): Finding[] {
  const perValue = values.flatMap((value, index) =>
    suiteValueFindings(variables, { [name]: value }, ['matrix']).map((finding) => ({
      ...finding,
      path: finding.code === 'unknown_variable' ? finding.path : [...finding.path, index],
    })),
  );
  // Compared as text: two cells must never share a name.
  const texts = values.map(String);
  const twice = texts.flatMap((text, index): Finding[] =>
    texts.indexOf(text) < index
      ? [
          {
            path: ['matrix', name, index],
            code: 'duplicate',
            message: `\`${text}\` stands twice on the axis \`${name}\``,
          },
        ]
      : [],
  );
  const unknown = perValue.find(({ code }) => code === 'unknown_variable');
  return unknown === undefined ? [...perValue, ...twice] : [unknown];
}

function sizeFindings(suite: Suite): Finding[] {
  const axes = Object.values(suite.matrix);
  // Computed, not built: a mistaken matrix must not cost memory.
  const combinations = axes.length === 0 ? 0 : axes.reduce((product, values) => product * values.length, 1);
  const size = combinations + suite.matrix_include.length;
  if (combinations > MAX_CELLS) {
    return [
      { path: ['matrix'], code: 'limit', message: `the matrix has ${combinations} combinations, limit ${MAX_CELLS}` },
    ];
  }
  const testRuns = Math.max(size, 1) * suite.cases.length * (suite.repetitions ?? 1);
  if (testRuns <= MAX_TEST_RUNS) return [];
  const message = `the suite has ${testRuns} test runs (cells × cases × repetitions), limit ${MAX_TEST_RUNS}`;
  return [{ path: axes.length > 0 ? ['matrix'] : ['repetitions'], code: 'limit', message }];
}

function missingValueFindings(suite: Suite, variables: readonly VariableDefinition[]): Finding[] {
  return variables
    .filter(({ name, required, defaultValue }) => {
      const given = isGiven(defaultValue) || Object.hasOwn(suite.variables, name) || Object.hasOwn(suite.matrix, name);
      return required && !given && suite.cases.some((testCase) => !isGiven(testCase.variables?.[name]?.defaultValue));
    })
    .map(({ name }) =>
      warning(
        ['variables'],
        'missing_required',
        `the required variable \`${name}\` has no value in the files`,
        `Every run must give it: --var ${name}=…`,
      ),
    );
}

/** What a case makes of the variables. */
export const caseVariableFindings = (
  overrides: Record<string, unknown>,
  variables: readonly VariableDefinition[],
): Finding[] => overrideFindings(variables, overrides, ['variables']);

/** Presets whose names or values no test type of the project knows. A name counts as known when one type has it. */
export function presetFindings(
  project: Project,
  { testTypes, areTypesKnown }: Pick<LoadContext, 'testTypes' | 'areTypesKnown'>,
): Finding[] {
  const types = [...testTypes.values()].map(usableVariables);
  const usable = types.filter((type) => type !== undefined);
  const known = { usable, areNamesKnown: areTypesKnown && usable.length === types.length };
  return Object.entries(project.presets).flatMap(([preset, values]) =>
    Object.entries(values).flatMap(([name, value]) => presetValueFindings({ preset, name, value }, known)),
  );
}

function presetValueFindings(
  { preset, name, value }: { preset: string; name: string; value: VariableValue },
  { usable, areNamesKnown }: { usable: readonly UsableVariables[]; areNamesKnown: boolean },
): Finding[] {
  const path = ['presets', preset, name];
  const refusal = typeof value === 'number' ? steeringProblem(name, value) : undefined;
  if (refusal !== undefined) return [{ path, code: 'out_of_range', message: refusal }];
  const findings = usable
    .filter(({ all }) => all.some((variable) => variable.name === name))
    .map((type) => withoutWrong(suiteValueFindings(type.all, { [name]: value }, ['presets', preset]), type));
  if (findings.some((ofType) => ofType.length === 0)) return [];
  const names = new Set(usable.flatMap(({ all }) => all.map((variable) => variable.name)));
  return findings[0] ?? (areNamesKnown ? [unknownVariable(name, names, path)] : []);
}

/** A value that some level gives to a variable, and where it stands. */
interface Given {
  name: string;
  value: unknown;
  path: Path;
}

/** What of a suite's values must be usable: only where a model is called, what a team's own service makes of them is its own affair. */
interface Steered {
  /** `Temperature` and `MaxTokens`. */
  numbers: boolean;
  /** `AIConfiguration`. */
  configurations: boolean;
}

function steeredBy({ agent, testType }: Pick<SuiteReview, 'agent' | 'testType'>): Steered {
  const driver = agent === undefined || agent.broken.has('driver') ? undefined : agent.agent.driver.type;
  return {
    numbers: testType !== undefined && steersModel(driver ?? 'scripted', testType.type.name),
    configurations: driver === 'openai',
  };
}

/** Values of a suite with which no model could be called: every test run would end in an error. */
export function suiteSteeringFindings(context: LoadContext, review: SuiteReview): Finding[] {
  const { variables, matrix, matrix_include } = review.suite;
  return steeringFindings(context, steeredBy(review), [
    ...entries(variables, ['variables']),
    ...Object.entries(matrix).flatMap(([name, values]) =>
      values.map((value, index) => ({ name, value, path: ['matrix', name, index] })),
    ),
    ...matrix_include.flatMap((cell, index) => entries(cell, ['matrix', 'include', index])),
  ]);
}

/** The same for what a case makes of the variables. */
export function caseSteeringFindings(
  context: LoadContext,
  review: SuiteReview,
  overrides: NonNullable<TestCase['variables']>,
): Finding[] {
  const given = Object.entries(overrides).flatMap(([name, { defaultValue, restrictedValues = [] }]): Given[] => [
    ...(isGiven(defaultValue) ? [{ name, value: defaultValue, path: ['variables', name, 'defaultValue'] }] : []),
    ...restrictedValues.map((value, index) => ({ name, value, path: ['variables', name, 'restrictedValues', index] })),
  ]);
  return steeringFindings(context, steeredBy(review), given);
}

/** The same for the defaults of a test type, in its own file: what the type offers beside them is for others too. */
export function reportTypeDefaults(context: LoadContext, review: SuiteReview): void {
  if (review.testType?.located === undefined) return;
  const { type, located, wrongVariables } = review.testType;
  const given = type.variables_schema.variables.flatMap(({ name, defaultValue }, index): Given[] =>
    !isGiven(defaultValue) || wrongVariables?.has(name) !== false
      ? []
      : [{ name, value: defaultValue, path: [index, 'defaultValue'] }],
  );
  reportAt(context.problems, located, steeringFindings(context, steeredBy(review), given));
}

/** What was found about values, and what else no model can be called with: one value is not told twice. */
export function withSteering(findings: readonly Finding[], steering: readonly Finding[]): Finding[] {
  const told = new Set(findings.map(({ path }) => JSON.stringify(path)));
  return [...findings, ...steering.filter(({ path }) => !told.has(JSON.stringify(path)))];
}

const entries = (values: Readonly<Record<string, unknown>>, path: Path): Given[] =>
  Object.entries(values).map(([name, value]) => ({ name, value, path: [...path, name] }));

function steeringFindings(context: LoadContext, steered: Steered, given: readonly Given[]): Finding[] {
  return given.flatMap(({ name, value, path }): Finding[] => {
    if (name === 'AIConfiguration' && typeof value === 'string') {
      const isFine = !steered.configurations || context.configurations.has(value);
      return isFine ? [] : [unknownConfiguration(value, context, path)];
    }
    // A value of another type is reported as such.
    const message = steered.numbers && typeof value === 'number' ? steeringProblem(name, value) : undefined;
    return message === undefined ? [] : [{ path, code: 'out_of_range', message }];
  });
}
