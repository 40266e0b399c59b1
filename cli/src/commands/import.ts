import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { isError } from '@proofmark/contracts/problem';
import { plural } from '@proofmark/domain/format-numbers';
import { renderAnswer } from '@proofmark/domain/screen-safe-json';
import { collectDefinitions } from '@proofmark/embedded/collect-definitions';
import { z } from 'zod';
import { type Command, type CommandContext, type CommandResult, done, wrongUsage } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';
import { findRoot } from '../arguments/find-root.ts';
import { parseOptions } from '../arguments/parse-arguments.ts';
import { listBesideFiles, readBesideFile, readSource, type Untranslated } from '../import/source.ts';
import { translateConfig } from '../import/translate-config.ts';
import { problemText } from '../output/problem-text.ts';
import { plain } from '../output/terminal.ts';

const Options = z.object({
  output: z.string().min(1, 'must not be empty').default('.'),
  json: z.boolean().default(false),
});

export const importCommand: Command = {
  synopsis: 'promptfoo FILE [--output DIR] [--json]',
  optionHelp: [
    ['--output DIR', 'where the files go, the current folder by default; nothing is overwritten'],
    ['--json', 'print what was written, and what is not translated, as JSON'],
  ],
  options: { output: { type: 'string' }, json: { type: 'boolean' } },
  run: async ({ values, positionals }, context) => {
    const options = parseOptions(Options, values);
    if (!options.ok) return wrongUsage(options.usage);
    const [tool, file, ...others] = positionals;
    if (tool !== 'promptfoo' || file === undefined || others.length > 0) {
      return wrongUsage('Type import promptfoo FILE.');
    }
    return await importPromptfoo(file, options.options, context);
  },
};

async function importPromptfoo(
  file: string,
  { output, json }: z.infer<typeof Options>,
  context: CommandContext,
): Promise<CommandResult> {
  const path = resolve(context.cwd, file);
  if (!existsSync(path)) return wrongUsage(`${file}: there is no such file`);
  if (!/\.(ya?ml|json)$/.test(path)) return wrongUsage(`${file}: only YAML and JSON are read, no programs`);
  const read = readSource(file, await readFile(path, 'utf8'));
  if (!read.ok) return wrongUsage(read.message);
  const beside = dirname(path);
  const translated = translateConfig(read.source, {
    readBeside: readBesideFile(beside, findRoot(beside)),
    listBeside: listBesideFiles(beside),
  });
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
  const paths = written.filter((name) => name.endsWith('.suite.yaml'));
  const { problems, files } = collectDefinitions({ root: folder, paths });
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
      `${plain(file)}:${line} ${plain(path)}: ${kind === 'note' ? 'note: ' : ''}${plain(message)}\n`,
  );
  const lost = remarks.filter(({ kind }) => kind === 'lost').length;
  const notes = remarks.length - lost;
  const counts = [`${plural(lost, 'thing')} not translated`, ...(notes === 0 ? [] : [plural(notes, 'note')])];
  return `${lines.join('')}${counts.join(', ')}\n\n`;
}
