import { renderAnswer } from '@proofmark/domain/screen-safe-json';
import { z } from 'zod';
import { type Command, type CommandContext, type CommandResult, done, wrongUsage } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';
import { parseOptions } from '../arguments/parse-arguments.ts';
import { errorWords, type OpenCoordinator, openCoordinator } from '../coordinator/open-coordinator.ts';
import { plain } from '../output/terminal.ts';

const Options = z.object({
  coordinator: z.string().min(1, 'must not be empty').optional(),
  json: z.boolean().default(false),
});

export const cancel: Command = {
  synopsis: 'RUN [--coordinator URL] [--json]',
  optionHelp: [
    ['--coordinator URL', 'where it runs; PROOFMARK_COORDINATOR by default. The token is that of PROOFMARK_TOKEN'],
    ['--json', 'print the answer as JSON'],
  ],
  options: { coordinator: { type: 'string' }, json: { type: 'boolean' } },
  run: async ({ values, positionals }, context) => {
    const options = parseOptions(Options, values);
    if (!options.ok) return wrongUsage(options.usage);
    const [runId, ...others] = positionals;
    if (runId === undefined || others.length > 0) return wrongUsage('Name one run by its id.');
    if (!z.uuid().safeParse(runId).success) return wrongUsage(`${runId} is not the id of a run.`);
    const opened = openCoordinator(options.options.coordinator, context);
    if (!opened.ok) return wrongUsage(opened.usage);
    return await cancelRun(runId, { ...opened, json: options.options.json, context });
  },
};

interface Asked {
  coordinator: OpenCoordinator;
  json: boolean;
  context: CommandContext;
}

async function cancelRun(runId: string, { coordinator, json, context }: Asked): Promise<CommandResult> {
  const { terminal } = context;
  const sent = await coordinator.patient.cancelRun(runId);
  if (!sent.ok) {
    terminal.writeError(
      `Run ${runId} is not cancelled (${plain(sent.error.code)}): ${plain(errorWords(sent.error))}\n`,
    );
    return done(sent.error.isTransient ? exitCodes.notJudged : exitCodes.wrongUsage);
  }
  const { answer } = sent;
  if (!answer.ok) return wrongUsage(`${answer.refusal.message} (${answer.refusal.code})`);
  const { changed } = answer;
  if (json) terminal.write(renderAnswer({ run_id: runId, changed }));
  else
    terminal.write(changed ? `Run ${runId} is cancelled.\n` : `Run ${runId} had ended before: nothing is changed.\n`);
  return done(exitCodes.fine);
}
