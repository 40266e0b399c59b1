import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { definitionSchemas } from '@proofmark/contracts/definition-schemas';
import { z } from 'zod';
import { type Command, done, wrongUsage } from '../arguments/command.ts';
import { parseOptions } from '../arguments/parse-arguments.ts';
import { exitCodes } from '../exit-code.ts';
import { type IgnoredResults, ignoreResults } from '../ignore-results.ts';
import { initFiles } from '../init-files.ts';
import { printSchema } from './schema.ts';

const Options = z.object({ json: z.boolean().default(false) });

export const init: Command = {
  name: 'init',
  summary: 'Write a first suite and workflow, with an agent that runs without a key',
  synopsis: '[--json]',
  optionHelp: [['--json', 'print the written files as JSON']],
  options: { json: { type: 'boolean' } },
  run: async ({ values, positionals }, { cwd, terminal }) => {
    const options = parseOptions(Options, values);
    if (!options.ok) return wrongUsage(options.usage);
    if (positionals.length > 0) return wrongUsage('init takes no path: it writes to the current folder.');
    const schemas = Object.entries(definitionSchemas()).filter(([name]) => name === 'suite.schema.json');
    const files = [
      ...initFiles,
      ...schemas.map(([name, content]) => [`schemas/${name}`, printSchema(content)] as const),
    ];
    const present = files.map(([path]) => path).filter((path) => existsSync(join(cwd, path)));
    if (present.length > 0)
      return wrongUsage(`Nothing was written, because this exists already: ${present.join(', ')}.`);
    for (const [path, content] of files) {
      await mkdir(dirname(join(cwd, path)), { recursive: true });
      // Fails rather than overwrites when the file appeared in between.
      await writeFile(join(cwd, path), content, { flag: 'wx' });
    }
    const ignored = await ignoreResults(cwd);
    const written = files.map(([path]) => path);
    const next = 'Next: proofmark validate, then proofmark run. Put the name of the action into the workflow.';
    terminal.write(
      options.options.json
        ? `${JSON.stringify({ written, git_ignore: ignored }, null, 2)}\n`
        : `Wrote ${written.join(', ')}\n${ignoreWords[ignored]}\n${next}\n`,
    );
    return done(exitCodes.fine);
  },
};

const ignoreWords: Record<IgnoredResults, string> = {
  created: 'Wrote .gitignore: results/, where runs keep what they find, is not committed.',
  appended: 'Added results/, where runs keep what they find, to .gitignore: it is not committed.',
  present: '.gitignore keeps results/ out of commits already.',
};
