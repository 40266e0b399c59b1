import { resolve } from 'node:path';
import type { ABSession } from '@proofmark/contracts/ab-session';
import { formatRate } from '@proofmark/domain/format-numbers';
import { renderSessionCsv } from '@proofmark/domain/session-csv';
import { measureSession } from '@proofmark/domain/session-measures';
import { ExecutionError } from '@proofmark/embedded/execution-error';
import { type SessionStore, sessionStore } from '@proofmark/embedded/session-store';
import { z } from 'zod';
import { type Command, type CommandContext, type CommandResult, done, wrongUsage } from '../arguments/command.ts';
import { oneOf, parseOptions } from '../arguments/parse-arguments.ts';
import { exitCodes } from '../exit-code.ts';
import { pairLine, sessionText, statsText } from '../output/session-text.ts';
import { table } from '../output/table.ts';
import { plain } from '../output/terminal.ts';
import { sessionAnswer } from '../session-answer.ts';

const Options = z.object({
  results: z.string().min(1, 'must not be empty').default('results'),
  format: oneOf(['text', 'json', 'csv']).default('text'),
  json: z.boolean().default(false),
});

interface Asked {
  store: SessionStore;
  format: 'text' | 'json' | 'csv';
  context: CommandContext;
}

export const sessions: Command = {
  name: 'sessions',
  summary: 'List the sessions of `ab`, show one, or change its notes',
  synopsis: 'list | show ID [--format text|json|csv] | note ID TEXT  [--results DIR] [--json]',
  optionHelp: [
    ['--results DIR', 'where sessions are kept, ./results by default'],
    ['--format FORMAT', 'text, json or csv'],
    ['--json', 'the same as --format json'],
  ],
  options: { results: { type: 'string' }, format: { type: 'string' }, json: { type: 'boolean' } },
  run: async ({ values, positionals }, context) => {
    const options = parseOptions(Options, values);
    if (!options.ok) return wrongUsage(options.usage);
    const { results, format, json } = options.options;
    const asked = {
      store: sessionStore(resolve(context.cwd, results)),
      format: json ? 'json' : format,
      context,
    } as const;
    const [verb = 'list', id, ...more] = positionals;
    try {
      if (verb === 'list' && id === undefined) return await list(asked);
      if (verb === 'show' && id !== undefined && more.length === 0) return await show(id, asked);
      if (verb === 'note' && id !== undefined && more.length > 0) return await note(id, more.join(' '), asked);
      return wrongUsage('Type list, show ID, or note ID TEXT.');
    } catch (error) {
      if (!(error instanceof ExecutionError)) throw error;
      return wrongUsage(error.message);
    }
  },
};

async function list({ store, format, context }: Asked): Promise<CommandResult> {
  const now = Date.now();
  const loaded: ABSession[] = [];
  for (const id of await store.listSessions()) {
    const session = await store.loadSession(id);
    if (session !== null) loaded.push(session);
  }
  const { terminal } = context;
  if (format === 'json') {
    const answer = loaded.map((session) => ({ ...withoutResults(session), ...measureSession(session, now) }));
    terminal.write(`${JSON.stringify({ sessions: answer }, null, 2)}\n`);
  } else if (loaded.length === 0) {
    terminal.write('No sessions. `proofmark ab` makes one.\n');
  } else {
    terminal.write(
      table([
        ['SESSION', 'STARTED', 'QUESTIONS', 'ANSWERED', 'STATE', 'BASELINE', 'CANDIDATE'],
        ...loaded.map((session) => row(session, now)),
      ]),
    );
  }
  return done(exitCodes.fine);
}

const withoutResults = ({ results: _results, ...session }: ABSession): Omit<ABSession, 'results'> => session;

function row(session: ABSession, now: number): string[] {
  const { test_count, success_rate } = measureSession(session, now);
  return [
    ...[session.session_id, session.start_time, String(test_count), formatRate(success_rate * 100)],
    ...[session.end_time === null ? 'open' : 'ended', plain(session.baseline_model), plain(session.candidate_model)],
  ];
}

async function show(id: string, { store, format, context }: Asked): Promise<CommandResult> {
  const session = await store.loadSession(id);
  if (session === null) return unknown(id);
  const { terminal } = context;
  const now = Date.now();
  const stats = await store.loadStats(id);
  if (format === 'csv') terminal.write(renderSessionCsv(session));
  else if (format === 'json') terminal.write(`${JSON.stringify(sessionAnswer(session, stats, now), null, 2)}\n`);
  else {
    const lines = session.results.map((result) => pairLine(result, terminal)).join('');
    terminal.write(`${lines}${lines === '' ? '' : '\n'}${sessionText(session, terminal, now)}${statsText(stats)}`);
  }
  return done(exitCodes.fine);
}

async function note(id: string, text: string, { store, context }: Asked): Promise<CommandResult> {
  const session = await store.loadSession(id);
  if (session === null) return unknown(id);
  const { json } = await store.saveSession({ ...session, notes: text });
  context.terminal.writeError(`Written: ${plain(json)}\n`);
  return done(exitCodes.fine);
}

const unknown = (id: string): CommandResult =>
  wrongUsage(`There is no session ${id}. \`proofmark sessions list\` names all.`);
