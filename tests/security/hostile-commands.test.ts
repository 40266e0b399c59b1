import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readCliEnvironment } from '../../cli/src/arguments/environment.ts';
import { runCommandLine } from '../../cli/src/commands/run-command-line.ts';
import { startModelServer } from '../stack/model-server.ts';
import { repositoryRoot } from '../stack/processes.ts';
import { runCli } from '../stack/run-cli.ts';

const key = `ghp_${'a1'.repeat(18)}`;

/** What an agent may answer, and what somebody may write into a definition, to take over the terminal of a reader. */
const attacks = {
  'escape codes and links': '\u001B[2J\u001B]8;;https://evil.example\u0007click\u001B]8;;\u0007\u009B31m\u0008\u0007',
  'carriage returns that write over a line': 'FAILED\rpassed\r\npassed 100%\u0085next\u2028line',
  'letters that turn round or hide': '\u{202E}dessap\u{2066} zero\u{200B}width\u{FEFF} \u{E0041}\u{00AD}',
  'commands of Actions': '\n::error file=x,line=1::owned\n##[command]x\n::add-mask::a',
  'keys and formulas': `${key} =HYPERLINK("https://evil.example") +1 @SUM(A1)`,
  'a hundred thousand lines': '\n'.repeat(100_000),
  'one line of half a million letters': 'A'.repeat(500_000),
};

const quoted = (text: string): string => JSON.stringify(text);

/** Control characters in a definition are refused, so a name has none. */
const caseName = (text: string): string =>
  `Refund ${text
    .slice(0, 60)
    .replaceAll(/[\p{Cc}\p{Zl}]/gu, ' ')
    .trim()}`.trim();

const files = (text: string) => ({
  'proofmark.yaml':
    'ai_configurations: { agent: { provider: openai, model: agent-1 }, other: { provider: openai, model: agent-2 } }',
  'evals/shop.suite.yaml': `
name: Shop
agent: { name: Desk, instructions: You are the desk., ai_configuration: agent }
cases:
  - name: ${quoted(caseName(text))}
    input: Where is my money?
    expected_behavior: { checks: [{ type: contains_phrases, phrases: ["ordinary"] }] }
`,
});

interface Typed {
  code: number | null;
  text: string;
}

/** Every command that shows what was answered, after an ordinary answer and then a hostile one. */
async function type(text: string): Promise<Record<string, Typed>> {
  const folder = await mkdtemp(join(tmpdir(), 'proofmark-hostile-'));
  const said = { now: 'LITERAL-7 ordinary' };
  await using server = await startModelServer({
    rules: [
      { when: { model: 'agent-2' }, reply: 'LITERAL-7 another' },
      { when: { model: 'agent-1' }, reply: () => said.now },
    ],
  });
  vi.stubEnv('OPENAI_API_KEY', 'sk-test').stubEnv('OPENAI_BASE_URL', server.url);
  const run = (...args: string[]) => proofmark(folder, args);
  try {
    for (const [path, content] of Object.entries(files(text))) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    await run('run', '--results', 'base');
    said.now = `LITERAL-7 ${text}`;
    const shown: Record<string, Typed> = { run: await run('run', '--results', 'head') };
    const [base = ''] = await readdir(join(folder, 'base'));
    const [head = ''] = await readdir(join(folder, 'head'));
    const [suite = ''] = (await readdir(join(folder, 'head', head))).filter((name) => name.startsWith('01'));
    shown['run --json'] = await run('run', '--json', '--results', 'json');
    shown.compare = await run('compare', join('base', base), join('head', head));
    shown['compare --json'] = await run('compare', join('base', base), join('head', head), '--json');
    shown['report --format csv'] = await run('report', join('head', head), '--format', 'csv');
    said.now = 'LITERAL-7 replayed';
    shown.replay = await run('replay', `head/${head}/${suite}/${caseName(text)}`);
    shown['replay --json'] = await run('replay', `head/${head}/${suite}/${caseName(text)}`, '--json');
    said.now = `LITERAL-7 ${text}`;
    shown.ab = await run('ab', '--candidate-var', 'AIConfiguration=other', '--session', 's', '--cache-reset-ms', '0');
    shown['sessions show'] = await run('sessions', 'show', 's');
    shown['sessions show --json'] = await run('sessions', 'show', 's', '--json');
    shown['report of a session'] = await run('report', 'results/session__s.json');
    shown.list = await run('list');
    return shown;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The command in this process, on a screen. */
async function proofmark(cwd: string, args: readonly string[]): Promise<Typed> {
  const told = readCliEnvironment({});
  if (!told.ok) throw new Error(told.problems.join('\n'));
  const written: string[] = [];
  const write = (text: string) => void written.push(text);
  const code = await runCommandLine(args, {
    cwd,
    terminal: {
      write,
      writeError: write,
      writeCommands: write,
      isInteractive: false,
      hasColor: false,
      columns: 80,
      isScreen: true,
    },
    environment: told.environment,
    signal: new AbortController().signal,
    version: '0.1.0',
  });
  return { code, text: written.join('') };
}

/** These hold answers with their line ends. */
const documents: ReadonlySet<string> = new Set(['report of a session', 'report --format csv']);

/** Control characters, and those that reorder or hide what stands beside them. */
const obeyed = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

afterEach(() => void vi.unstubAllEnvs());

describe('O9 every command shows hostile answers and names literally', { timeout: 180_000 }, () => {
  test.each(Object.entries(attacks))('%s', async (_name, attack) => {
    const [ordinary, hostile] = [await type('x'), await type(attack)];
    for (const [command, typed] of Object.entries(hostile)) expectLiteral(command, typed, ordinary[command]);
    for (const command of ['run', 'compare', 'replay', 'report of a session']) {
      expect(hostile[command]?.text, command).toContain('LITERAL-7');
    }
  });
});

function expectLiteral(command: string, { code, text }: Typed, ordinary: Typed | undefined): void {
  const told = `${command}: ${JSON.stringify(text.slice(0, 600))}`;
  expect(code, told).toBe(ordinary?.code);
  expect(obeyed.exec(text)?.[0].codePointAt(0), told).toBeUndefined();
  // Another program reads these, and gets what was said.
  if (command.endsWith('--json')) return;
  expect(text, told).not.toContain(key);
  if (documents.has(command)) return;
  // As many lines as for an ordinary answer, none of them a command of whoever collects the log.
  expect(text.split('\n').length, told).toBe(ordinary?.text.split('\n').length);
  expect(text, told).not.toMatch(/^\s*(::|##\[)/m);
  expect(text.length, told).toBeLessThan(30_000);
}

/** What a log of Actions would obey: `::name` first in a line after anything blank, or `##[name]` anywhere in one. */
const commandsIn = (log: string): string[] =>
  log.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/).filter((line) => /^[\s\p{Cc}\p{Cf}]*::\w|##\[\w/u.test(line));

const commandsOfActions = [
  'LITERAL-7',
  '::error file=x,line=1::owned',
  ' \t\u00a0\ufeff::add-mask::e',
  '::stop-commands::t',
  '##[command]x and ##[add-mask]a',
].join('\n');
const afterEveryLineEnd = ['\r', '\r\n', '\u0085', '\u2028', '\u2029', '\v', '\f', '\u001B[2K', '\u202E'];
const hostileAnswer = `${commandsOfActions}${afterEveryLineEnd.map((end) => `${end}::warning::owned`).join('')}`;
/** A name is in one line, and may stand first in one. */
const hostileName = '::error::owned ##[add-mask]b';

const run = promisify(execFile);

describe('O9 nothing that somebody else wrote is a command in the log of a job', { timeout: 180_000 }, () => {
  const inJob = { GITHUB_ACTIONS: 'true', CI: 'true' };

  async function hostileProject() {
    const folder = await mkdtemp(join(tmpdir(), 'proofmark-job-'));
    const server = await startModelServer({ rules: [{ when: {}, reply: hostileAnswer }] });
    const suite = `
name: ${quoted(hostileName)}
agent: { name: Desk, instructions: You are the desk., ai_configuration: agent }
cases:
  - name: ${quoted(hostileName)}
    input: Where is my money?
    expected_behavior: { checks: [{ type: contains_phrases, phrases: ["ordinary"] }] }
`;
    for (const [path, content] of Object.entries({ ...files('x'), 'evals/shop.suite.yaml': suite })) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: server.url };
    return {
      folder,
      env,
      type: (args: string[], more: Record<string, string> = inJob) =>
        runCli(args, { folder, env: { ...env, ...more } }),
      [Symbol.asyncDispose]: async () => {
        await server[Symbol.asyncDispose]();
        await rm(folder, { recursive: true, force: true });
      },
    };
  }

  test('whatever the format of a run or report, and for every other command that shows names or answers', async () => {
    await using project = await hostileProject();
    const shown: Record<string, { stdout: string; stderr: string }> = {};
    const type = async (...args: string[]) => (shown[args.join(' ')] = await project.type(args));
    await type('run', '--results', 'one');
    const [name = ''] = await readdir(join(project.folder, 'one'));
    const stored = `one/${name}`;
    for (const format of ['csv', 'markdown', 'html', 'json', 'junit']) {
      await type('run', '--format', format);
      await type('report', stored, '--format', format);
    }
    for (const args of [['list'], ['list', '--json'], ['compare', stored, stored], ['resolve'], ['run', '--json']])
      await type(...args);
    await type('ab', '--candidate-var', 'AIConfiguration=other', '--session', 's', '--cache-reset-ms', '0');
    for (const args of [
      ['show', 's'],
      ['show', 's', '--format', 'csv'],
      ['show', 's', '--json'],
    ])
      await type('sessions', ...args);
    const obeyedLines = Object.entries(shown).flatMap(([typed, { stdout, stderr }]) =>
      commandsIn(`${stdout}\n${stderr}`).map((line) => `${typed}: ${line.slice(0, 80)}`),
    );
    expect(obeyedLines).toEqual([]);
    for (const [typed, { stdout }] of Object.entries(shown))
      expect(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.exec(stdout)?.[0].codePointAt(0), typed).toBeUndefined();
    expect(shown[`report ${stored} --format csv`]?.stdout).toContain('LITERAL-7');
    // Whoever reads JSON and JUnit out of the log reads what was said.
    expect(shown[`report ${stored} --format json`]?.stdout).not.toBe('');
    expect(JSON.stringify(JSON.parse(shown[`report ${stored} --format json`]?.stdout ?? ''))).toContain(
      '##[command]x and ##[add-mask]a',
    );
  });

  test('a report in a file, and what another program is given outside of a job, stay as they are byte for byte', async () => {
    await using project = await hostileProject();
    await project.type(['run', '--results', 'one']);
    const [name = ''] = await readdir(join(project.folder, 'one'));
    for (const format of ['csv', 'markdown', 'html']) {
      const args = ['report', `one/${name}`, '--format', format];
      const { stdout: piped } = await project.type(args, {});
      await project.type([...args, '--output', 'written']);
      const shell = `"${process.execPath}" "${join(repositoryRoot, 'cli/bin/proofmark.mjs')}" ${args.join(' ')} > redirected`;
      await run('/bin/sh', ['-c', shell], { cwd: project.folder, env: { ...process.env, ...project.env, ...inJob } });
      const [written, redirected] = await Promise.all(
        ['written', 'redirected'].map((file) => readFile(join(project.folder, file), 'utf8')),
      );
      expect({ format, written: written === piped, redirected: redirected === piped }).toEqual({
        format,
        written: true,
        redirected: true,
      });
    }
  });

  test('what `validate` says to Actions are commands, and nothing else of it is', async () => {
    await using project = await hostileProject();
    const path = join(project.folder, 'evals/shop.suite.yaml');
    await writeFile(path, `${await readFile(path, 'utf8')}"::error::owned ##[add-mask]c": 1\n`);
    const { stdout, stderr } = await project.type(['validate', '--format', 'github']);
    expect(commandsIn(stdout)).toEqual([expect.stringMatching(/^::error file=evals\/shop\.suite\.yaml,line=8,/)]);
    expect(stdout).not.toContain('##[');
    expect(commandsIn(stderr)).toEqual([]);
  });
});
