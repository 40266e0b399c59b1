import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { compareOutcomes, type ReplayDifference } from '@proofmark/domain/compare-outcomes';
import { readModelKeys } from '@proofmark/embedded/environment';
import { z } from 'zod';
import { type Command, type CommandContext, type CommandResult, done, wrongUsage } from '../arguments/command.ts';
import { parseOptions } from '../arguments/parse-arguments.ts';
import { exitCodes } from '../exit-code.ts';
import { findRoot } from '../find-root.ts';
import { replayText } from '../output/replay-text.ts';
import { plain } from '../output/terminal.ts';
import { locateTestRun, type Repeatable } from '../replay/locate-test-run.ts';

const Options = z.object({
  coordinator: z.string().min(1, 'must not be empty').optional(),
  results: z.string().min(1, 'must not be empty').default('results'),
  json: z.boolean().default(false),
});

export const replay: Command = {
  name: 'replay',
  summary: 'Repeat one stored test run here, from what it was given, and show what differs',
  synopsis: 'TEST-RUN [--results DIR] [--coordinator URL] [--json]',
  optionHelp: [
    ['TEST-RUN', 'RUN/SUITE-RUN/CASE, with #N for repetition N; or the id of a test run of a coordinator'],
    ['--results DIR', 'where results are kept, ./results by default'],
    ['--coordinator URL', 'who has it; PROOFMARK_COORDINATOR by default. The token is that of PROOFMARK_TOKEN'],
    ['--json', 'print both sides as JSON'],
  ],
  options: { coordinator: { type: 'string' }, results: { type: 'string' }, json: { type: 'boolean' } },
  run: async ({ values, positionals }, context) => {
    const options = parseOptions(Options, values);
    if (!options.ok) return wrongUsage(options.usage);
    const [id, ...others] = positionals;
    if (id === undefined || others.length > 0) return wrongUsage('Name one test run.');
    const { coordinator, results, json } = options.options;
    const located = await locateTestRun({ id, coordinator, results }, context);
    if (!located.ok) return tellTrouble(located.message, located.code, context);
    const keys = readModelKeys();
    if (!keys.ok) return wrongUsage(keys.problems.join('\n'));
    const root = findRoot(context.cwd);
    // Loaded late: models and drivers take longer to load than everything else together.
    const [{ findObstacles }, { repeatTestRun }] = await Promise.all([
      import('@proofmark/embedded/find-obstacles'),
      import('@proofmark/embedded/repeat-test-run'),
    ]);
    const { work } = located.stored;
    const obstacles = await findObstacles(work, { keys: keys.keys, root });
    if (obstacles.length > 0) return tellObstacles(located.stored, obstacles, context);
    const outcome = await repeatTestRun({ work, keys: keys.keys, root, signal: context.signal });
    if (outcome === null) return done(exitCodes.interrupted);
    tell(located.stored, outcome, { json, context });
    return done(outcome.status === 'error' ? exitCodes.notJudged : exitCodes.fine);
  },
};

function tellTrouble(message: string, code: 0 | 1 | 2 | 3 | 130, { terminal }: CommandContext): CommandResult {
  terminal.writeError(`proofmark replay: ${message.split('\n').map(plain).join('\n')}\n`);
  return done(code);
}

function tellObstacles({ id }: Repeatable, obstacles: readonly string[], context: CommandContext): CommandResult {
  const lines = obstacles.map((obstacle) => `  ${obstacle}`).join('\n');
  return tellTrouble(`${id} cannot be repeated here as it was:\n${lines}`, exitCodes.wrongUsage, context);
}

interface Telling {
  json: boolean;
  context: CommandContext;
}

function tell(
  { id, work, outcome: stored, version }: Repeatable,
  outcome: CaseOutcome,
  { json, context }: Telling,
): void {
  const difference = compareOutcomes(stored, outcome);
  const versions = { before: version, after: context.version };
  const { terminal } = context;
  if (json)
    terminal.write(`${JSON.stringify(answerOf(id, work, { difference, versions, stored, outcome }), null, 2)}\n`);
  else terminal.write(replayText({ id, name: nameOf(work), versions, difference }, terminal));
}

function nameOf({ suiteName, cellKey, variant, case: { name }, repetition }: CaseWork): string {
  const cell = cellKey === '' ? '' : ` [${cellKey}]`;
  const side = variant === 'head' ? '' : ` (${variant})`;
  return `${suiteName}${cell}${side} › ${name}${repetition === 1 ? '' : ` #${repetition}`}`;
}

interface Answered {
  difference: ReplayDifference;
  versions: { before: string | null; after: string };
  stored: CaseOutcome;
  outcome: CaseOutcome;
}

/** What programs read: the difference first, then both outcomes whole. */
function answerOf(id: string, work: CaseWork, { difference, versions, stored, outcome }: Answered) {
  const { isSame, errorKind, errorMessage, latencyMs, costUsd, ...pairs } = difference;
  return {
    test_run: id,
    suite: work.suiteName,
    case: work.case.name,
    cell: work.cellKey,
    variant: work.variant,
    repetition: work.repetition,
    seed: work.seed,
    is_same: isSame,
    difference: {
      ...pairs,
      error_kind: errorKind,
      error_message: errorMessage,
      latency_ms: latencyMs,
      cost_usd: costUsd,
      version: versions,
    },
    stored,
    replay: outcome,
  };
}
