import type { LoadedSuite } from '@proofmark/contracts/loaded';
import { nameHint } from '@proofmark/contracts/near-match';
import type { Problem } from '@proofmark/contracts/problem';
import type { Project } from '@proofmark/contracts/project';
import type { VariableValue } from '@proofmark/contracts/variables';
import { redactText } from '../text/redact-text.ts';
import { type RunRequest, requestProblem } from './run-request.ts';

/** Problems that need no suite: an unknown preset, a name no selected suite knows, a name that is a value and an axis. */
export function requestProblems(request: RunRequest, suites: readonly LoadedSuite[], project: Project): Problem[] {
  const names = suites.flatMap(({ testType }) => testType.variables_schema.variables.map((rule) => rule.name));
  const variables = [...Object.keys(request.variables), ...request.assignments.map(({ name }) => name)];
  const axes = [...Object.keys(request.matrix), ...request.matrixAssignments.map(({ name }) => name)];
  const unknown = [
    ...variables.map((name) => ['variables', name] as const),
    ...axes.map((name) => ['matrix', name] as const),
  ]
    .filter(([, name]) => !names.includes(name))
    .map(([place, name]) => unknownVariable(place, name, names));
  const both = axes
    .filter((name) => variables.includes(name))
    .map((name) =>
      requestProblem(`matrix.${name}`, {
        code: 'exclusive',
        message: `'${name}' is given as one value and as a matrix axis`,
      }),
    );
  const twice = axes
    .filter((name, index) => axes.indexOf(name) !== index)
    .map((name) =>
      requestProblem(`matrix.${name}`, { code: 'duplicate', message: `The matrix axis '${name}' is given twice` }),
    );
  return [
    ...presetProblems(request, project),
    ...unknown,
    ...both,
    ...twice,
    ...credentialProblems(request),
    ...repetitionProblems(request),
  ];
}

/** Variables are stored and shown everywhere, so they must never hold a secret; the message does not repeat it. */
function credentialProblems({ variables, assignments, matrix, matrixAssignments }: RunRequest): Problem[] {
  const given: [path: string, text: VariableValue][] = [
    ...Object.entries(variables).map(([name, value]): [string, VariableValue] => [`variables.${name}`, value]),
    ...assignments.map(({ name, text }): [string, string] => [`variables.${name}`, text]),
    ...Object.entries(matrix).flatMap(([name, values]) =>
      values.map((value): [string, VariableValue] => [`matrix.${name}`, value]),
    ),
    ...matrixAssignments.flatMap(({ name, values }) =>
      values.map((text): [string, string] => [`matrix.${name}`, text]),
    ),
  ];
  return given
    .filter(([, text]) => typeof text === 'string' && redactText(text) !== text)
    .map(([path]) =>
      requestProblem(path, {
        code: 'forbidden_field',
        message: 'The value looks like a credential: variables are stored and shown',
      }),
    );
}

function presetProblems({ preset }: RunRequest, project: Project): Problem[] {
  if (preset === null || Object.hasOwn(project.presets, preset)) return [];
  const hint = nameHint(preset, Object.keys(project.presets), 'The project defines none.');
  return [requestProblem('preset', { code: 'not_found', message: `There is no preset '${preset}'`, hint })];
}

function unknownVariable(place: string, name: string, known: readonly string[]): Problem {
  const message = `No selected test has a variable '${name}'`;
  return requestProblem(`${place}.${name}`, {
    code: 'unknown_variable',
    message,
    hint: nameHint(name, known, 'No test type has any.'),
  });
}

function repetitionProblems({ repetitions }: RunRequest): Problem[] {
  if (repetitions === null || (Number.isInteger(repetitions) && repetitions >= 1 && repetitions <= 100)) return [];
  const message = `repetitions must be a whole number from 1 to 100, got ${repetitions}`;
  return [requestProblem('repetitions', { code: 'out_of_range', message })];
}
