// `npm run pictures` makes the pictures of docs/reports.md anew. It needs a Chromium, `git` and `script` (util-linux).
import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium } from '../tests/stack/chromium.ts';
import { startModelServer } from '../tests/stack/model-server.ts';
import { deskRules, projects, worsenedAgent, writeFiles } from './pictures/sample-project.ts';
import { takePicture } from './pictures/take-picture.ts';
import { terminalPage } from './pictures/terminal-page.ts';

const root = join(import.meta.dirname, '..');
const pictures = join(root, 'docs/pictures');
const command = join(root, 'cli/bin/proofmark.mjs');
const scratch = await mkdtemp(join(tmpdir(), 'proofmark-pictures-'));
await using server = await startModelServer({ rules: deskRules, delayMs: 60 });

/** A project with a commit, as a developer would have it. */
async function makeProject(name: keyof typeof projects): Promise<string> {
  const folder = join(scratch, name);
  await mkdir(folder);
  await writeFiles(folder, projects[name]);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Proofmark', '-c', 'user.email=proofmark@example.com', ...args], {
      cwd: folder,
    });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'Add the support desk');
  return folder;
}

/** Types a command at a pseudo-terminal of some columns; what it wrote there. */
async function type(folder: string, args: readonly string[], columns = 110): Promise<string> {
  const line = [process.execPath, command, ...args].map((part) => `'${part}'`).join(' ');
  const child = spawn('script', ['-qec', `stty cols ${columns}; ${line}`, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env.PATH, TERM: 'xterm-256color', OPENAI_API_KEY: 'sk-sample', OPENAI_BASE_URL: server.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => child.on('close', resolve));
  return Buffer.concat(chunks).toString();
}

/** The page with some of its test runs unfolded, counted from 1, and everything inside them. */
function unfolded(page: string, ...numbers: number[]): string {
  const [head = '', ...items] = page.split('<li class="run ');
  const opened = items.map((item, index) =>
    numbers.includes(index + 1) ? item.replaceAll('<details', '<details open') : item,
  );
  return [head, ...opened].join('<li class="run ');
}

/** What stood on the screen when a third of the output was written. */
function midway(output: string): string {
  return output.slice(0, output.indexOf('\r\u001B[2K', output.length / 3));
}

const chromium = findChromium();
const take = (name: string, page: string, width: number, height: number, isDark = false) =>
  takePicture(chromium, { page, path: join(pictures, `${name}.png`), width, height, isDark });

try {
  const passed = await makeProject('passed');
  const passedText = await type(passed, ['run', '--repetitions', '1', '--output', 'report.html']);
  await take('report-passed', unfolded(await readFile(join(passed, 'report.html'), 'utf8'), 5), 1000, 1780);
  await take(
    'terminal-passed',
    terminalPage('proofmark run --repetitions 1 --output report.html', passedText),
    1000,
    230,
  );

  const failed = await makeProject('failed');
  await writeFiles(failed, worsenedAgent);
  const failedText = await type(failed, ['run', '--compare', 'HEAD', '--output', 'report.html']);
  const failedPage = await readFile(join(failed, 'report.html'), 'utf8');
  await take('report-failed', unfolded(failedPage, 1), 1000, 1600);
  await take('report-dark', failedPage, 1000, 1100, true);
  await take('report-phone', unfolded(failedPage, 1), 390, 1700);
  await type(failed, ['run', '--matrix', 'Temperature=0,0.7,1', '--output', 'matrix.html']);
  await take('report-matrix', await readFile(join(failed, 'matrix.html'), 'utf8'), 1000, 1000);
  await take(
    'terminal-failed',
    terminalPage('proofmark run --compare HEAD --output report.html', failedText, 30),
    1000,
    690,
  );

  const progress = terminalPage('proofmark run --compare HEAD --output report.html', midway(failedText), 17);
  await take('terminal-progress', progress, 1000, 360);

  const hostile = await makeProject('hostile');
  const hostileText = await type(hostile, ['run', '--output', 'report.html']);
  await take('report-hostile', unfolded(await readFile(join(hostile, 'report.html'), 'utf8'), 1), 1000, 1400);
  await take('terminal-hostile', terminalPage('proofmark run --output report.html', hostileText), 1000, 260);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
