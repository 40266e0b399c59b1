import { unknownConfiguration } from '../authored/configurations.ts';
import { steeringProblem, steersModel } from '../definitions/steering.ts';
import type { TestCase } from '../definitions/test-case.ts';
import type { Finding } from '../parse/finding.ts';
import type { Path } from '../parse/path-text.ts';
import { reportAt } from '../parse/source-document.ts';
import type { LoadContext, SuiteReview } from './suite-review.ts';

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
export function caseSteeringFindings(context: LoadContext, review: SuiteReview, { variables }: TestCase): Finding[] {
  const given = Object.entries(variables ?? {}).flatMap(([name, { defaultValue, restrictedValues = [] }]): Given[] => [
    ...(defaultValue === undefined ? [] : [{ name, value: defaultValue, path: ['variables', name, 'defaultValue'] }]),
    ...restrictedValues.map((value, index) => ({ name, value, path: ['variables', name, 'restrictedValues', index] })),
  ]);
  return steeringFindings(context, steeredBy(review), given);
}

/** The same for the defaults of a test type, in its own file: what the type offers beside them is for others too. */
export function reportTypeDefaults(context: LoadContext, review: SuiteReview): void {
  if (review.testType?.located === undefined) return;
  const { type, located, wrongVariables } = review.testType;
  const given = type.variables_schema.variables.flatMap(({ name, defaultValue }, index): Given[] =>
    defaultValue === undefined || wrongVariables?.has(name) !== false
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
