import { createWriteStream } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isSecureUrl } from '@proofmark/client/coordinator-client';
import { DownloadRunDocument } from '@proofmark/client/documents';
import { constantOf } from '@proofmark/client/words';
import { renderAnswer } from '@proofmark/domain/screen-safe-json';
import { z } from 'zod';
import { type Command, type CommandContext, type CommandResult, done, wrongUsage } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';
import { parseOptions, wordOption } from '../arguments/parse-arguments.ts';
import { errorWords, openCoordinator } from '../coordinator/open-coordinator.ts';
import { plain, shownDocument, wholeLines } from '../output/terminal.ts';

/** By the endings of their files. */
const formats = { '.csv': 'csv', '.jsonl': 'jsonl', '.xml': 'junit', '.html': 'html' } as const;
const format = wordOption(['csv', 'jsonl', 'junit', 'html']);

const Options = z.object({
  format: format.optional(),
  output: z.string().min(1, 'must not be empty').optional(),
  coordinator: z.string().min(1, 'must not be empty').optional(),
  json: z.boolean().default(false),
});

export const exportCommand: Command = {
  synopsis: 'RUN [--format csv|jsonl|junit|html] [--output PATH] [--coordinator URL] [--json]',
  optionHelp: [
    ['RUN', 'the id of a run of the coordinator; `proofmark runs` lists them'],
    ['--format FORMAT', 'csv, jsonl, junit or html; csv unless the ending of --output says something else'],
    ['--output PATH', 'write to a file instead of printing'],
    ['--coordinator URL', 'who has it; PROOFMARK_COORDINATOR by default. The token is that of PROOFMARK_TOKEN'],
    ['--json', 'print a link to the file as JSON, which needs no token and holds for 15 minutes'],
  ],
  options: {
    format: { type: 'string' },
    output: { type: 'string' },
    coordinator: { type: 'string' },
    json: { type: 'boolean' },
  },
  run: async ({ values, positionals }, context) => {
    const parsed = parseOptions(Options, values);
    if (!parsed.ok) return wrongUsage(parsed.usage);
    const { options } = parsed;
    const [runId = '', ...others] = positionals;
    if (others.length > 0 || !z.uuid().safeParse(runId).success)
      return wrongUsage('Name one run of the coordinator by its id. `proofmark runs` lists them.');
    const chosen = options.format ?? formatOfFile(options.output);
    if (chosen === undefined)
      return wrongUsage(`--output: must end in ${Object.keys(formats).join(', ')}, or come with --format`);
    const opened = openCoordinator(options.coordinator, context);
    if (!opened.ok) return wrongUsage(opened.usage);
    const asked = { id: runId, format: constantOf(chosen) };
    const sent = await opened.coordinator.patient.ask(DownloadRunDocument, asked);
    if (!sent.ok) {
      context.terminal.writeError(`${plain(errorWords(sent.error))} (${plain(sent.error.code)})\n`);
      return done(sent.error.isTransient ? exitCodes.notJudged : exitCodes.wrongUsage);
    }
    if (sent.answer.run === null) return wrongUsage(`There is no run ${runId} for this token.`);
    const link = sent.answer.run.download;
    if (link === null) return wrongUsage(`Nothing of run ${runId} has ended yet. Try again later.`);
    if (!options.json) return await fetchTo(options.output, link.url, context);
    context.terminal.write(renderAnswer({ url: link.url, expires_at: link.expiresAt }));
    return done(exitCodes.fine);
  },
};

function formatOfFile(path: string | undefined): z.infer<typeof format> | undefined {
  if (path === undefined) return 'csv';
  return Object.entries(formats).find(([ending]) => ending === extname(path).toLowerCase())?.[1];
}

/** Hands the file on as it comes, however long it is. */
async function fetchTo(output: string | undefined, url: string, context: CommandContext): Promise<CommandResult> {
  const { terminal, signal, cwd } = context;
  const lost = (why: string): CommandResult => {
    terminal.writeError(`The file could not be fetched: ${plain(why)}\n`);
    return done(signal.aborted ? exitCodes.interrupted : exitCodes.notJudged);
  };
  if (!isSecureUrl(url))
    return lost(`${new URL(url).origin} is no https address: PUBLIC_URL of the coordinator says so.`);
  try {
    const response = await fetch(url, { signal, redirect: 'error' });
    if (!response.ok || response.body === null) return lost((await response.text()).slice(0, 500));
    await (output === undefined ? show(response.body, terminal) : write(response.body, resolve(cwd, output)));
    if (output !== undefined) terminal.writeError(`Written: ${plain(output)}\n`);
    return done(exitCodes.fine);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if ('path' in error) return wrongUsage(`--output cannot be written: ${error.message}`);
    return lost(error.cause instanceof Error ? error.cause.message : error.message);
  }
}

type Body = NonNullable<Response['body']>;

async function show(body: Body, terminal: CommandContext['terminal']): Promise<void> {
  const texts = body.pipeThrough(new TextDecoderStream());
  for await (const lines of wholeLines(texts)) terminal.write(shownDocument(lines, terminal));
}

/** A file under its name is whole. */
async function write(body: Body, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await pipeline(body, createWriteStream(`${path}.part`));
  await rename(`${path}.part`, path);
}
