import type { LoadedSuite } from '@proofmark/contracts/load-definitions';
import { isError } from '@proofmark/contracts/problem';
import type { TestCase } from '@proofmark/contracts/test-case';
import { renderAnswer } from '@proofmark/domain/report-json';
import { z } from 'zod';
import { type Command, done, wrongUsage } from '../arguments/command.ts';
import { parseOptions } from '../arguments/parse-arguments.ts';
import { exitCodes } from '../exit-code.ts';
import { problemText } from '../output/problem-text.ts';
import { paint, plain, type Terminal } from '../output/terminal.ts';
import { variableLines } from '../output/variable-lines.ts';
import { openDefinitions } from './open-definitions.ts';

const Options = z.object({ json: z.boolean().default(false), 'show-variables': z.boolean().default(false) });

export const list: Command = {
  name: 'list',
  summary: 'List suites and cases, and with --show-variables what can be varied',
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
    ...{ name, description, kind, difficulty, tags, status, is_enabled },
    ...(showVariables && variables !== null ? { variables } : {}),
  })),
  ...(showVariables
    ? { variables: testType.variables_schema.variables, suite_variables: suite.variables, matrix: suite.matrix }
    : {}),
});
