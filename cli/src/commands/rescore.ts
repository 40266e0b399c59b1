import { z } from 'zod';
import { type Command, type CommandResult, wrongUsage } from '../arguments/command.ts';
import { keptRun } from '../arguments/kept-run.ts';
import { parseOptions } from '../arguments/parse-arguments.ts';
import { emptyRequest, RunOptions } from '../arguments/run-options.ts';
import { runOn } from '../coordinator/run-on.ts';
import { outputProblem } from '../output/render-reports.ts';
import { type AskedRun, runHere } from '../run/run-here.ts';

export const rescore: Command = {
  synopsis:
    'RUN [paths] [--filter TEXT] [--coordinator URL] [--concurrency N] [--format FORMAT] [--output PATH] [--results DIR] [--json]',
  optionHelp: [
    ['RUN', 'the id of a run, its folder, or `last`; the id of a run of a coordinator'],
    ['paths', 'the suites of today; those of the current folder unless some are named'],
    ['--filter TEXT', 'only cases whose name has this text, where * stands for anything; may be repeated'],
    ['--coordinator URL', 'who has it; PROOFMARK_COORDINATOR by default. The token is that of PROOFMARK_TOKEN'],
    ['--concurrency N', 'how many answers are judged at once, here'],
    ['--format FORMAT', 'print the report: json, yaml, markdown, csv, junit, html'],
    ['--output PATH', 'write the report to a file instead; its ending gives the format'],
    ['--raw-cells', 'CSV with every character as it was, also invisible ones'],
    ['--results DIR', 'where results are kept, ./results by default'],
    ['--json', 'print the result of the run as JSON, with every verdict that changed'],
  ],
  options: {
    filter: { type: 'string', multiple: true },
    coordinator: { type: 'string' },
    concurrency: { type: 'string' },
    format: { type: 'string' },
    output: { type: 'string' },
    'raw-cells': { type: 'boolean' },
    results: { type: 'string' },
    json: { type: 'boolean' },
  },
  run: async (typed, context) => {
    const parsed = parseOptions(RunOptions, typed.values);
    if (!parsed.ok) return wrongUsage(parsed.usage);
    const { options } = parsed;
    const [named, ...positionals] = typed.positionals;
    if (named === undefined) return wrongUsage('Name a run, or `last`.');
    const unclear = outputProblem(options);
    if (unclear !== undefined) return wrongUsage(`--output: ${unclear}`);
    const asked = { input: { ...typed, positionals }, options, request: emptyRequest, context };
    return z.uuid().safeParse(named).success
      ? await runOn({ ...asked, rescores: named })
      : await rescoreHere(named, asked);
  },
};

async function rescoreHere(named: string, asked: AskedRun): Promise<CommandResult> {
  const { options, context } = asked;
  const run = keptRun(named, { cwd: context.cwd, results: options.results });
  if (run === null)
    return wrongUsage(`There is no run ${named} in ${options.results}. \`proofmark sessions\` lists them.`);
  if (run.repetition !== null) return wrongUsage('A run is rescored as a whole, or by --filter: name it without #.');
  // Loaded late: models and drivers take longer to load than everything else together.
  const { openRescoring } = await import('@proofmark/embedded/open-rescoring');
  const opened = await openRescoring(run.path);
  if (!opened.ok) return wrongUsage(opened.message);
  await using rescoring = opened.rescoring;
  return await runHere({ ...asked, rescoring });
}
