import { resolve } from 'node:path';
import { z } from 'zod';
import { type Command, done, wrongUsage } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';
import { keptRun } from '../arguments/kept-run.ts';
import { parseOptions, wordOption } from '../arguments/parse-arguments.ts';
import {
  type Format,
  formatOfPath,
  formats,
  outputProblem,
  renderReports,
  writeOutput,
} from '../output/render-reports.ts';
import { plain, shownDocument } from '../output/terminal.ts';
import { readReports, unitsOfPage } from '../run/read-reports.ts';

const Options = z.object({
  format: wordOption(formats).optional(),
  output: z.string().min(1, 'must not be empty').optional(),
  'raw-cells': z.boolean().default(false),
  results: z.string().min(1, 'must not be empty').default('results'),
  json: z.boolean().default(false),
});

export const report: Command = {
  synopsis: `RUN|FILE|FOLDER [--format ${formats.join('|')}] [--output PATH] [--results DIR]`,
  optionHelp: [
    ['RUN', 'the id of a run, `last`, RUN/03 for its third suite run, RUN/03#2 for the second repetition there'],
    ['--format FORMAT', `${formats.join(', ')}; markdown by default, or what the ending of --output says`],
    ['--output PATH', 'write to a file instead of printing'],
    ['--raw-cells', 'CSV with every character as it was, also invisible ones'],
    ['--results DIR', 'where results are kept, ./results by default'],
    ['--json', 'the same as --format json'],
  ],
  options: {
    format: { type: 'string' },
    output: { type: 'string' },
    'raw-cells': { type: 'boolean' },
    results: { type: 'string' },
    json: { type: 'boolean' },
  },
  run: async ({ values, positionals }, { cwd, terminal, version }) => {
    const options = parseOptions(Options, values);
    if (!options.ok) return wrongUsage(options.usage);
    const [path, ...others] = positionals;
    if (path === undefined || others.length > 0)
      return wrongUsage('Name one run, its folder, one report file, or a session.');
    const { output } = options.options;
    const unclear = outputProblem({ output, format: wordedFormat(options.options) });
    if (unclear !== undefined) return wrongUsage(`--output: ${unclear}`);
    const chosen = chosenFormat(options.options);
    const run = keptRun(path, { cwd, results: options.options.results }) ?? {
      path: resolve(cwd, path),
      repetition: null,
    };
    const { repetition } = run;
    const read = await readReports(run.path, { keptUnits: chosen === 'html' ? unitsOfPage : 0, version, repetition });
    if (!read.ok) return wrongUsage(read.message);
    const text = renderReports(read.reports, chosen, { rawCells: options.options['raw-cells'] });
    if (output === undefined) {
      terminal.write(shownDocument(text, terminal));
    } else {
      const problem = await writeOutput(resolve(cwd, output), text);
      if (problem !== undefined) return wrongUsage(problem);
      terminal.writeError(`Written: ${plain(output)}\n`);
    }
    return done(exitCodes.fine);
  },
};

type Options = z.infer<typeof Options>;

/** The format that was typed as such. */
const wordedFormat = ({ format, json }: Options): Format | undefined => (json ? 'json' : format);

const chosenFormat = (options: Options): Format =>
  wordedFormat(options) ?? (options.output === undefined ? undefined : formatOfPath(options.output)) ?? 'markdown';
