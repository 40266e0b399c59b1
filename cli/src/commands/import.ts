import { existsSync, statSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isError } from '@proofmark/contracts/problem';
import { plural } from '@proofmark/domain/format-numbers';
import { renderAnswer } from '@proofmark/domain/screen-safe-json';
import { collectDefinitions } from '@proofmark/embedded/collect-definitions';
import { z } from 'zod';
import { type Command, type CommandContext, type CommandResult, done, wrongUsage } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';
import { findRoot } from '../arguments/find-root.ts';
import { parseOptions } from '../arguments/parse-arguments.ts';
import { casesOrRows, yaml } from '../import/list-cases.ts';
import { listBesideFiles, readBesideFile, readSource, type Untranslated } from '../import/source.ts';
import { translateConfig } from '../import/translate-config.ts';
import { rowFormats, translateRows } from '../import/translate-rows.ts';
import { problemText } from '../output/problem-text.ts';
import { plain } from '../output/terminal.ts';

const Options = z.object({
  output: z.string().min(1, 'must not be empty').default('.'),
  agent: z.string().min(1, 'must not be empty').optional(),
  json: z.boolean().default(false),
});
type Options = z.infer<typeof Options>;

const tools = ['promptfoo', ...Object.keys(rowFormats)];

export const importCommand: Command = {
  synopsis: `${tools.join('|')} FILE [--agent PATH] [--output DIR] [--json]`,
  optionHelp: [
    ['--agent PATH', 'the agent file that is asked; needed where the other tool names none in its file'],
    ['--output DIR', 'where the files go, the current folder by default; nothing is overwritten'],
    ['--json', 'print what was written, and what is not translated, as JSON'],
  ],
  options: { agent: { type: 'string' }, output: { type: 'string' }, json: { type: 'boolean' } },
  run: async ({ values, positionals }, context) => {
    const options = parseOptions(Options, values);
    if (!options.ok) return wrongUsage(options.usage);
    const [tool = '', file, ...others] = positionals;
    if (!tools.includes(tool) || file === undefined || others.length > 0)
      return wrongUsage(`Type import, one of ${tools.join(', ')}, and a file.`);
    const read = await readImported(file, context);
    if (!read.ok) return wrongUsage(read.message);
    const translated =
      tool === 'promptfoo'
        ? fromPromptfoo(read, options.options)
        : fromRows(tool, read, { options: options.options, context });
    return await writeImported(translated, options.options, context);
  },
};

type Translated =
  | { ok: true; files: Map<string, string | Buffer>; remarks: readonly Untranslated[] }
  | { ok: false; message: string; remarks: readonly Untranslated[] };

const refuse = (message: string): Translated => ({ ok: false, message, remarks: [] });

interface ImportedFile {
  /** As it was typed, and where it is. */
  file: string;
  path: string;
  text: string;
}

/** Above what a file of rows may have. */
const mostBytes = 64_000_000;

async function readImported(
  file: string,
  { cwd }: CommandContext,
): Promise<({ ok: true } & ImportedFile) | { ok: false; message: string }> {
  const path = resolve(cwd, file);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return { ok: false, message: `${file}: there is no such file` };
  if (!stats.isFile()) return { ok: false, message: `${file}: it is no file` };
  if (stats.size > mostBytes) return { ok: false, message: `${file}: it has more than 64 MB` };
  return { ok: true, file, path, text: await readFile(path, 'utf8') };
}

function fromPromptfoo({ file, path, text }: ImportedFile, { agent }: Options): Translated {
  if (agent !== undefined) return refuse('--agent: a configuration of promptfoo names whoever answers itself.');
  if (!/\.(ya?ml|json)$/.test(path)) return refuse(`${file}: only YAML and JSON are read, no programs`);
  const read = readSource(file, text);
  if (!read.ok) return refuse(read.message);
  const beside = dirname(path);
  return translateConfig(read.source, {
    readBeside: readBesideFile(beside, findRoot(beside)),
    listBeside: listBesideFiles(beside),
  });
}

/** A suite of its rows, beside an agent that is there already. */
function fromRows(
  tool: string,
  { file, path, text }: ImportedFile,
  { options: { agent, output }, context: { cwd } }: { options: Options; context: CommandContext },
): Translated {
  if (agent === undefined)
    return refuse('Its files name no agent: say which one is asked, by --agent agents/desk.agent.yaml.');
  if (!existsSync(resolve(cwd, agent))) return refuse(`--agent ${agent}: there is no such file`);
  if (rowFormats[tool]?.endings.test(path) !== true)
    return refuse(`${file}: ${tool} is read from ${rowFormats[tool]?.told}`);
  const translated = translateRows(tool, file, text);
  if (!translated.ok) return translated;
  const { cases, asksJudge, remarks } = translated;
  const folder = resolve(cwd, output);
  const name = basename(path).replace(/\.\w+$/, '');
  const slug =
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, 40) || 'rows';
  const files = new Map<string, string>();
  const toAgent = relative(join(folder, 'evals'), resolve(cwd, agent)).split(sep).join('/');
  const judge = asksJudge ? { judge: { ai_configuration: 'judge' } } : {};
  files.set(`evals/${slug}.suite.yaml`, yaml({ name, agent: toAgent, ...judge, ...casesOrRows(cases, slug, files) }));
  return { ok: true, files, remarks };
}

async function writeImported(
  translated: Translated,
  { output, json }: Options,
  context: CommandContext,
): Promise<CommandResult> {
  const { remarks } = translated;
  if (!translated.ok) {
    context.terminal.writeError(remarkText(remarks));
    return wrongUsage(translated.message);
  }
  const folder = resolve(context.cwd, output);
  const present = [...translated.files.keys()].filter((name) => existsSync(join(folder, name)));
  // A program of the configuration may lie where it is wanted already.
  const texts = await Promise.all(
    present.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
  );
  const same = new Set(
    texts.flatMap(([name, text]) => (!name.endsWith('.yaml') && text === translated.files.get(name) ? name : [])),
  );
  const taken = present.filter((name) => !same.has(name));
  if (taken.length > 0) return wrongUsage(`Nothing was written, because this exists already: ${taken.join(', ')}.`);
  for (const [name, text] of translated.files) {
    if (same.has(name)) continue;
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text, { flag: 'wx' });
  }
  return tellWritten({ folder, written: [...translated.files.keys()], remarks, json }, context);
}

interface Written {
  folder: string;
  written: string[];
  remarks: readonly Untranslated[];
  json: boolean;
}

/** What was written is loaded once more: whoever imports learns at once what is still to be mended. */
function tellWritten({ folder, written, remarks, json }: Written, { cwd, terminal }: CommandContext): CommandResult {
  // A suite may lie in a project that is there already, as its agent does.
  const root = findRoot(folder);
  const paths = written.flatMap((name) => (name.endsWith('.suite.yaml') ? relative(root, join(folder, name)) : []));
  const { problems, files } = collectDefinitions({ root, paths });
  const shown = written.map((name) => relative(cwd, join(folder, name)));
  if (json) {
    const imported = isWhole(remarks) ? 'whole' : 'part';
    terminal.write(renderAnswer({ imported, written: shown, not_translated: remarks, problems }));
  } else {
    terminal.writeError(remarkText(remarks));
    if (problems.length > 0) terminal.writeError(problemText(problems, files));
    terminal.write(
      `Wrote ${shown.map(plain).join(', ')}\nImported ${isWhole(remarks) ? 'whole' : 'in part'}. Next: proofmark validate, then proofmark run.\n`,
    );
  }
  if (problems.some(isError)) return done(exitCodes.wrongUsage);
  return done(isWhole(remarks) ? exitCodes.fine : exitCodes.notJudged);
}

const isWhole = (remarks: readonly Untranslated[]): boolean => remarks.every(({ kind }) => kind === 'note');

function remarkText(remarks: readonly Untranslated[]): string {
  if (remarks.length === 0) return '';
  const lines = remarks.map(
    ({ file, line, path, message, kind }) =>
      `${plain(file)}:${line}${path === '' ? '' : ` ${plain(path)}`}: ${kind === 'note' ? 'note: ' : ''}${plain(message)}\n`,
  );
  const lost = remarks.filter(({ kind }) => kind === 'lost').length;
  const notes = remarks.length - lost;
  const counts = [`${plural(lost, 'thing')} not translated`, ...(notes === 0 ? [] : [plural(notes, 'note')])];
  return `${lines.join('')}${counts.join(', ')}\n\n`;
}
