import type { LoadedSuite } from '@proofmark/contracts/loaded';
import { isError } from '@proofmark/contracts/problem';
import type { Suite } from '@proofmark/contracts/suite';
import type { TestCase } from '@proofmark/contracts/test-case';
import type { PossibleValue, TestType, TestVariableOverride, VariableDefinition } from '@proofmark/contracts/test-type';
import { renderAnswer } from '@proofmark/domain/screen-safe-json';
import { z } from 'zod';
import { type Command, done, wrongUsage } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';
import { openDefinitions } from '../arguments/open-definitions.ts';
import { parseOptions } from '../arguments/parse-arguments.ts';
import { problemText } from '../output/problem-text.ts';
import { paint, plain, type Terminal, table } from '../output/terminal.ts';

const Options = z.object({ json: z.boolean().default(false), 'show-variables': z.boolean().default(false) });

export const list: Command = {
  synopsis: '[paths] [--show-variables] [--json]',
  optionHelp: [
    ['--show-variables', 'name, type, default and allowed values of each variable'],
    ['--json', 'print the list as JSON'],
  ],
  options: { json: { type: 'boolean' }, 'show-variables': { type: 'boolean' } },
  run: async ({ values, positionals }, context) => {
    const options = parseOptions(Options, values);
    if (!options.ok) return wrongUsage(options.usage);
    const opened = openDefinitions(positionals, context);
    if (!opened.ok) return wrongUsage(opened.usage);
    const { terminal } = context;
    const { definitions, problems } = opened.collected;
    const showVariables = options.options['show-variables'];
    if (options.options.json) {
      const suites = definitions.suites.map((loaded) => listed(loaded, showVariables));
      terminal.write(renderAnswer({ suites, problems }));
    } else {
      terminal.write(definitions.suites.map((loaded) => suiteText(loaded, showVariables, terminal)).join('\n'));
      if (problems.some(isError)) terminal.writeError(problemText(problems.filter(isError), opened.collected.files));
    }
    return done(problems.some(isError) ? exitCodes.wrongUsage : exitCodes.fine);
  },
};

function suiteText({ path, suite, agent, testType }: LoadedSuite, showVariables: boolean, terminal: Terminal): string {
  const note = suite.is_enabled ? '' : ', disabled';
  const title = `${paint(terminal, 'bold', plain(suite.name))}  ${plain(path)}  (agent ${plain(agent.name)}, ${testType.name}${note})\n`;
  const cases = suite.cases
    .map((testCase) => `  ${[plain(testCase.name), ...caseNotes(testCase), ...described(testCase)].join('  ')}\n`)
    .join('');
  return showVariables ? `${title}${cases}${variableLines(testType, suite)}` : `${title}${cases}`;
}

function caseNotes({ kind, difficulty, tags, status, is_enabled }: TestCase): string[] {
  const words = [
    kind === 'simulated' ? 'simulated' : '',
    difficulty === 'hard' ? 'hard' : '',
    status === 'active' ? '' : status,
    is_enabled ? '' : 'disabled',
    ...tags.map((tag) => `#${plain(tag)}`),
  ].filter((word) => word !== '');
  return words.length === 0 ? [] : [`[${words.join(' ')}]`];
}

const described = ({ description }: TestCase): string[] =>
  description === null || description === '' ? [] : [plain(description)];

const listed = ({ path, suite, agent, agentPath, testType }: LoadedSuite, showVariables: boolean) => ({
  path,
  name: suite.name,
  is_enabled: suite.is_enabled,
  agent: agent.name,
  agent_path: agentPath,
  test_type: testType.name,
  cases: suite.cases.map(({ name, description, kind, difficulty, tags, status, is_enabled, variables }) => ({
    name,
    description,
    kind,
    difficulty,
    tags,
    status,
    is_enabled,
    ...(showVariables && variables !== null ? { variables } : {}),
  })),
  ...(showVariables
    ? { variables: testType.variables_schema.variables, suite_variables: suite.variables, matrix: suite.matrix }
    : {}),
});

/** What can be varied in a suite: a row per variable of its type, and below what suite and cases make of it. */
function variableLines({ variables_schema }: TestType, suite: Suite): string {
  const rows = variables_schema.variables.map(variableRow);
  if (rows.length === 0) return '  no variables\n';
  const header = ['VARIABLE', 'TYPE', 'DEFAULT', 'ALLOWED', ''];
  return `\n${table([header, ...rows], '  ')}${suiteLines(suite)}${suite.cases.flatMap(caseLines).join('')}`;
}

function variableRow({ name, displayName, dataType, required, description, ...rest }: VariableDefinition): string[] {
  const words = [displayName === undefined || displayName === name ? '' : displayName, description ?? ''];
  return [
    plain(name),
    `${dataType}${required ? ', required' : ''}`,
    rest.defaultValue === undefined ? '-' : plain(String(rest.defaultValue)),
    allowed(rest),
    plain(words.filter((word) => word !== '').join(': ')),
  ];
}

function allowed({ valueSource, possibleValues }: Pick<VariableDefinition, 'valueSource' | 'possibleValues'>): string {
  if (valueSource === 'freeform' || possibleValues === undefined) return 'any';
  return possibleValues.map(labelled).join(', ');
}

/** `gpt-4o (GPT-4o)`; the label is the value itself when it has none. */
function labelled({ value, label }: PossibleValue): string {
  const text = plain(String(value));
  return label === undefined || label === text ? text : `${text} (${plain(label)})`;
}

function suiteLines({ variables, matrix }: Suite): string {
  const values = Object.entries(variables).map(
    ([name, value]) => `  suite sets ${plain(name)} = ${plain(String(value))}\n`,
  );
  const axes = Object.entries(matrix).map(
    ([name, axis]) => `  suite varies ${plain(name)}: ${plain(axis.join(', '))}\n`,
  );
  return [...values, ...axes].join('');
}

function caseLines({ name, variables }: Suite['cases'][number]): string[] {
  return Object.entries(variables ?? {}).map(
    ([variable, override]) => `  case ${plain(name)}: ${plain(variable)} ${overrideWords(override).join(', ')}\n`,
  );
}

function overrideWords({ exposed, defaultValue, locked, restrictedValues }: TestVariableOverride): string[] {
  const words: string[] = [];
  if (exposed === false) words.push('hidden');
  if (locked === true) words.push('locked');
  if (defaultValue != null) words.push(`default ${plain(String(defaultValue))}`);
  if (restrictedValues !== undefined) words.push(`only ${plain(restrictedValues.join(', '))}`);
  return words.length === 0 ? ['as its type says'] : words;
}
