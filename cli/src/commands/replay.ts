import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { compareOutcomes, type ReplayDifference } from '@proofmark/domain/compare-outcomes';
import { recordConversation } from '@proofmark/domain/plan-rejudging';
import { renderAnswer } from '@proofmark/domain/screen-safe-json';
import { readModelKeys } from '@proofmark/embedded/environment';
import { z } from 'zod';
import { type Command, type CommandContext, type CommandResult, done, wrongUsage } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';
import { findRoot } from '../arguments/find-root.ts';
import { parseOptions } from '../arguments/parse-arguments.ts';
import { plain } from '../output/terminal.ts';
import { type LocatedTestRun, locateTestRun, type Repeatable } from '../replay/locate-test-run.ts';
import { repeatThere } from '../replay/repeat-there.ts';
import { replayText } from '../replay/replay-text.ts';

const Options = z.object({
  coordinator: z.string().min(1, 'must not be empty').optional(),
  results: z.string().min(1, 'must not be empty').default('results'),
  remote: z.boolean().default(false),
  'judge-only': z.boolean().default(false),
  json: z.boolean().default(false),
});

export const replay: Command = {
  synopsis: 'TEST-RUN [--judge-only] [--results DIR] [--coordinator URL] [--remote] [--json]',
  optionHelp: [
    ['TEST-RUN', 'RUN/SUITE-RUN/CASE, with #N for repetition N; or the id of a test run of a coordinator'],
    ['--judge-only', 'ask no agent: judge the stored answer again, as a judge that is doubted deserves'],
    ['--results DIR', 'where results are kept, ./results by default'],
    ['--coordinator URL', 'who has it; PROOFMARK_COORDINATOR by default. The token is that of PROOFMARK_TOKEN'],
    ['--remote', 'let the runners of the coordinator repeat it, as a run of its own'],
    ['--json', 'print both sides as JSON'],
  ],
  options: {
    coordinator: { type: 'string' },
    results: { type: 'string' },
    remote: { type: 'boolean' },
    'judge-only': { type: 'boolean' },
    json: { type: 'boolean' },
  },
  run: async ({ values, positionals }, context) => {
    const options = parseOptions(Options, values);
    if (!options.ok) return wrongUsage(options.usage);
    const [id, ...others] = positionals;
    if (id === undefined || others.length > 0) return wrongUsage('Name one test run.');
    const { coordinator, results, json, remote, 'judge-only': isJudgedOnly } = options.options;
    if (remote && isJudgedOnly)
      return wrongUsage('--judge-only works in this process; --remote lets runners ask the agent.');
    const located = await locateTestRun({ id, coordinator, results }, context);
    if (!located.ok) return tellTrouble(located.message, located.code, context);
    if (remote) return await replayThere(located, { json, context });
    const repeatable = isJudgedOnly ? withRecording(located.stored) : { ok: true as const, stored: located.stored };
    if (!repeatable.ok) return tellTrouble(repeatable.message, exitCodes.wrongUsage, context);
    return await replayHere(repeatable.stored, { json, context });
  },
};

type Recorded = { ok: true; stored: Repeatable } | { ok: false; message: string };

/** The same test run with what was said as part of its work: from here on only judges are asked. */
function withRecording(stored: Repeatable): Recorded {
  const { id, work, outcome } = stored;
  const recording = recordConversation(id, outcome);
  const cannot = (why: string): Recorded => ({ ok: false, message: `${id} cannot be judged again: ${why}.` });
  if (!recording.ok) return cannot(gaps[recording.gap]);
  if (recording.recorded.error !== null)
    return cannot(`it broke before there was anything to judge (${outcome.errorMessage})`);
  return { ok: true, stored: { ...stored, work: { ...work, recorded: recording.recorded } } };
}

const gaps = { cut: 'its texts were too long to be kept whole', missing: 'its conversation is not kept' } as const;

interface Telling {
  json: boolean;
  context: CommandContext;
}

async function replayHere(stored: Repeatable, { json, context }: Telling): Promise<CommandResult> {
  const read = readModelKeys();
  if (!read.ok) return wrongUsage(read.problems.join('\n'));
  const { keys } = read;
  const root = findRoot(context.cwd);
  // Loaded late: models and drivers take longer to load than everything else together.
  const { findObstacles, repeatHere: repeatTestRun } = await import('@proofmark/embedded/repeat-test-run');
  const { work, outcome: before } = stored;
  const obstacles = await findObstacles(work, stored.outcome, { keys, root });
  if (obstacles.length > 0) return tellObstacles(stored, obstacles, context);
  const outcome = await repeatTestRun({ work, outcome: before, keys, root, signal: context.signal });
  if (outcome === null) return done(exitCodes.interrupted);
  return tell(stored, { outcome, version: context.version }, { json, context });
}

/** On the runners of the coordinator that has the test run, with their keys. */
async function replayThere(
  { stored, coordinator }: Extract<LocatedTestRun, { ok: true }>,
  { json, context }: Telling,
): Promise<CommandResult> {
  if (coordinator === null)
    return wrongUsage('--remote repeats a test run of a coordinator, and this one is in a file.');
  const repeated = await repeatThere(stored.id, coordinator, context);
  if (!repeated.ok) return tellTrouble(repeated.message, repeated.code, context);
  return tell(stored, { outcome: repeated.outcome, version: null }, { json, context });
}

function tellTrouble(message: string, code: 0 | 1 | 2 | 3 | 130, { terminal }: CommandContext): CommandResult {
  terminal.writeError(`proofmark replay: ${message.split('\n').map(plain).join('\n')}\n`);
  return done(code);
}

function tellObstacles({ id }: Repeatable, obstacles: readonly string[], context: CommandContext): CommandResult {
  const lines = obstacles.map((obstacle) => `  ${obstacle}`).join('\n');
  return tellTrouble(`${id} cannot be repeated here as it was:\n${lines}`, exitCodes.wrongUsage, context);
}

interface Repeated {
  outcome: CaseOutcome;
  /** Null: nobody here knows. */
  version: string | null;
}

function tell(stored: Repeatable, { outcome, version }: Repeated, { json, context }: Telling): CommandResult {
  const { id, work } = stored;
  const difference = compareOutcomes(stored.outcome, outcome);
  const versions = { before: stored.version, after: version };
  const { terminal } = context;
  const answer = { difference, versions, stored: stored.outcome, outcome };
  if (json) terminal.write(renderAnswer(answerOf(id, work, answer)));
  else {
    const isJudgedOnly = work.recorded !== undefined;
    terminal.write(replayText({ id, name: nameOf(work), versions, difference, isJudgedOnly }, terminal));
  }
  return done(outcome.status === 'error' ? exitCodes.notJudged : exitCodes.fine);
}

function nameOf({ suiteName, cellKey, variant, case: { name }, repetition }: CaseWork): string {
  const cell = cellKey === '' ? '' : ` [${cellKey}]`;
  const side = variant === 'head' ? '' : ` (${variant})`;
  return `${suiteName}${cell}${side} › ${name}${repetition === 1 ? '' : ` #${repetition}`}`;
}

interface Answered {
  difference: ReplayDifference;
  versions: { before: string | null; after: string | null };
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
    judge_only: work.recorded !== undefined,
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
