import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { definitionSchemas } from '@proofmark/contracts/definition-schemas';
import { z } from 'zod';
import { type Command, done, wrongUsage } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';
import { parseOptions, wordOption } from '../arguments/parse-arguments.ts';
import { schemaText } from './schema.ts';

/** What a first suite may start from. A folder of `cli/templates` each, with what is said when it is written. */
const templates = {
  support:
    'The agent answers from data, so no key is needed. To ask a model instead, remove the driver in agents/support.agent.yaml.',
  tools:
    'The agent calls a tool; both answer from data, so no key is needed. evals/orders.suite.yaml says which calls are expected.',
  rag: 'The agent looks things up; both answer from data. evals/handbook.suite.yaml says how a judge rates what it makes of it.',
  matrix: 'The suite runs once for each value of a variable: evals/greeting.suite.yaml has them. No key is needed.',
  langgraph: 'The suite asks a LangGraph server on port 2024 of this machine: agents/graph.agent.yaml has its address.',
  'ai-sdk':
    'agents/desk.ts is an agent of the Vercel AI SDK. It needs npm install ai @ai-sdk/openai-compatible zod. Allow it the key of its model: PROOFMARK_PROGRAM_ENVS=OPENAI_API_KEY.',
} as const;
type Template = keyof typeof templates;
const names = Object.keys(templates) as [Template, ...Template[]]; // keys of the table

const Options = z.object({ from: wordOption(names).optional(), json: z.boolean().default(false) });

export const init: Command = {
  synopsis: `[--from ${names.join('|')}] [--json]`,
  optionHelp: [
    [
      '--from TEMPLATE',
      'what to start from, support by default; a project that is there gets the suite beside its own',
    ],
    ['--json', 'print the written files as JSON'],
  ],
  options: { from: { type: 'string' }, json: { type: 'boolean' } },
  run: async ({ values, positionals }, { cwd, terminal }) => {
    const options = parseOptions(Options, values);
    if (!options.ok) return wrongUsage(options.usage);
    if (positionals.length > 0) return wrongUsage('init takes no path: it writes to the current folder.');
    const { from, json } = options.options;
    const isPresent = ([path]: TemplateFile): boolean => existsSync(join(cwd, path));
    const hasProject = existsSync(join(cwd, 'proofmark.yaml'));
    const place = placeIn(cwd);
    const unread = whyUnread(place, hasProject);
    if (unread !== undefined) return wrongUsage(unread);
    const own = readTemplate(from ?? 'support').map(hasProject ? withOwnModel : asItIs);
    const branch = baseBranch(cwd);
    const isRead = ([path]: TemplateFile): boolean => place === 'root' || !path.startsWith('.github/');
    const shared = [...readTemplate('shared').map((file) => forBranch(file, branch)), suiteSchema()].filter(isRead);
    // Who asks for a template by name may have a project already: what all templates share stays as it is there.
    const present = (from === undefined ? [...shared, ...own] : own).filter(isPresent).map(([path]) => path);
    if (present.length > 0)
      return wrongUsage(`Nothing was written, because this exists already: ${present.join(', ')}.`);
    const files = [...shared.filter((file) => !isPresent(file)), ...own];
    for (const [path, content] of files) {
      await mkdir(dirname(join(cwd, path)), { recursive: true });
      // Fails rather than overwrites when the file appeared in between.
      await writeFile(join(cwd, path), content, { flag: 'wx' });
    }
    const ignored = await ignoreResults(cwd);
    const written = files.map(([path]) => path);
    terminal.write(
      json
        ? `${JSON.stringify({ written, git_ignore: ignored }, null, 2)}\n`
        : `Wrote ${written.join(', ')}\n${ignoreWords[ignored]}\n\n${nextSteps(from, cwd, place === 'root' ? branch : null)}`,
    );
    return done(exitCodes.fine);
  },
};

type TemplateFile = readonly [path: string, content: string];

const asItIs = (file: TemplateFile): TemplateFile => file;

/** The project that is there need not have the AI configuration of ours. */
const withOwnModel = ([path, content]: TemplateFile): TemplateFile => [
  path,
  content.replace(/^ai_configuration: (\S+)$/m, 'model: { provider: openai, name: $1 }'),
];

/** Beside a built command, else the folder of the repository. */
const places = [join(import.meta.dirname, '../templates'), join(import.meta.dirname, '../../templates')];

function readTemplate(name: Template | 'shared'): TemplateFile[] {
  const folder = places.map((place) => join(place, name)).find((place) => existsSync(place));
  if (folder === undefined)
    throw new Error(`The files of the template ${name} are missing; looked in ${places.join(' and ')}`);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path): TemplateFile => [relative(folder, path).replaceAll('\\', '/'), readFileSync(path, 'utf8')])
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function askGit(cwd: string, ...args: string[]): string {
  const { status, stdout } = spawnSync('git', ['-C', cwd, ...args], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
}

type Place = 'root' | 'below' | 'no-files';

/** Why nothing would read what was written there. */
function whyUnread(place: Place, hasProject: boolean): string | undefined {
  if (place === 'no-files')
    return 'Nothing was written: this repository has no files of its own. Clone it, and type init in the clone.';
  if (place === 'below' && !hasProject)
    return 'Nothing was written: this folder lies in a repository, where GitHub reads workflows only at the root, and one proofmark.yaml counts. Type init at the root; or `git init` here first, where this shall be a repository of its own.';
  return undefined;
}

/** Where in a repository a folder is: one that is in none becomes the root of one. */
function placeIn(cwd: string): Place {
  const [isInside, prefix = ''] = askGit(cwd, 'rev-parse', '--is-inside-work-tree', '--show-prefix').split('\n');
  if (isInside === 'false') return 'no-files';
  return prefix === '' ? 'root' : 'below';
}

/** The branch that pull requests go to: that of the remote, else the one of the usual names, else the one that is checked out. */
function baseBranch(cwd: string): string {
  const git = (...args: string[]): string => askGit(cwd, ...args);
  const remote = git('symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD').replace(/^origin\//, '');
  const usual = ['main', 'master'].find((name) => git('rev-parse', '--verify', '--quiet', `refs/heads/${name}`) !== '');
  return remote || usual || git('symbolic-ref', '--quiet', '--short', 'HEAD') || 'main';
}

/** Words that YAML reads as text without quotes; `2.10` would be a number, `on` a truth value. */
const isPlainText = /^(?!(?:y|n|yes|no|on|off|true|false|null)$)[a-z][\w./-]*$/i;

/** The templates are for `main`. */
function forBranch([path, content]: TemplateFile, branch: string): TemplateFile {
  const quoted = isPlainText.test(branch) ? branch : JSON.stringify(branch);
  return [
    path,
    content
      .replaceAll('push to main', () => `push to ${branch}`)
      .replaceAll('branches: [main]', () => `branches: [${quoted}]`),
  ];
}

function suiteSchema(): TemplateFile {
  const name = 'suite.schema.json';
  return [`schemas/${name}`, schemaText(definitionSchemas()[name] ?? {})];
}

/** Null: no workflow was written. */
function nextSteps(from: Template | undefined, cwd: string, branch: string | null): string {
  const kind = from === undefined ? detectAgent(cwd) : undefined;
  const lines = [
    templates[from ?? 'support'],
    ...(kind === undefined
      ? []
      : [
          `${kind.file} names ${kind.what}: npx proofmark init --from ${kind.template} writes a suite for it beside this one.`,
        ]),
    branch === null
      ? 'Next: npx proofmark run.'
      : `Next: npx proofmark run. Then commit: the workflow judges every pull request, and npx proofmark run --compare ${branch} does so here.`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** How the repository's own agent is probably built, as its files of dependencies tell. */
function detectAgent(cwd: string): { file: string; what: string; template: Template } | undefined {
  const signs = [
    { file: 'langgraph.json', sign: /./, what: 'a LangGraph server', template: 'langgraph' },
    { file: 'package.json', sign: /"@langchain\/langgraph/, what: 'LangGraph', template: 'langgraph' },
    { file: 'pyproject.toml', sign: /\blanggraph\b/, what: 'LangGraph', template: 'langgraph' },
    { file: 'requirements.txt', sign: /^langgraph\b/m, what: 'LangGraph', template: 'langgraph' },
    { file: 'package.json', sign: /"ai"\s*:/, what: 'the Vercel AI SDK', template: 'ai-sdk' },
  ] as const;
  return signs.find(
    ({ file, sign }) => existsSync(join(cwd, file)) && sign.test(readFileSync(join(cwd, file), 'utf8')),
  );
}

const ignoreWords: Record<IgnoredResults, string> = {
  created: 'Wrote .gitignore: results/, where runs keep what they find, is not committed.',
  appended: 'Added results/, where runs keep what they find, to .gitignore: it is not committed.',
  present: '.gitignore keeps results/ out of commits already.',
};

/** What had to be done so that results are never committed. */
type IgnoredResults = 'created' | 'appended' | 'present';

/** What git takes for the folder of results here, or for every folder of that name. */
const patterns = /^\/?(\*\*\/)?results(\/?|\/\*{1,2})$/;

/** Puts `results/` into the `.gitignore` of a folder, once; what stands there is kept. */
async function ignoreResults(folder: string): Promise<IgnoredResults> {
  const path = join(folder, '.gitignore');
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) {
    await writeFile(path, `${entry}\n`, { flag: 'wx' });
    return 'created';
  }
  const lines = text.split(/\r?\n/).map((line) => line.trimEnd());
  if (lines.some((line) => patterns.test(line))) return 'present';
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' || text.endsWith('\n') ? '' : lineEnd;
  await writeFile(path, `${text}${gap}${entry.replaceAll('\n', lineEnd)}${lineEnd}`);
  return 'appended';
}

const entry = '# What runs of Proofmark find\nresults/';
