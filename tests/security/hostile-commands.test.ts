import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readEnvironment } from '../../cli/src/environment.ts';
import { runCommandLine } from '../../cli/src/run-command-line.ts';
import { startModelServer } from '../stack/model-server.ts';

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
  const written: string[] = [];
  const write = (text: string) => void written.push(text);
  const code = await runCommandLine(args, {
    cwd,
    terminal: { write, writeError: write, isInteractive: false, hasColor: false, columns: 80, isScreen: true },
    environment: readEnvironment({}),
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
