import { randomBytes } from 'node:crypto';
import type { ParseArgsOptionsConfig } from 'node:util';
import { SessionId } from '@proofmark/contracts/ab-session';
import { parseAssignments } from '@proofmark/domain/parse-assignments';
import { AbSettings } from '@proofmark/embedded/comparison-store';
import { z } from 'zod';
import { wholeNumberOption } from './parse-arguments.ts';
import { RequestOptions, requestArguments, requestHelp } from './run-options.ts';

const text = z.string().min(1, 'must not be empty');
const id = z.string().refine((value) => SessionId.safeParse(value).success, {
  message: 'must be letters, digits, _ and -, at most 64',
});

const factorWords = 'must be a number from 1 to 10';
const factor = z
  .string()
  .regex(/^\d{1,2}(\.\d{1,3})?$/, factorWords)
  .transform(Number)
  .refine((number) => number >= 1 && number <= 10, factorWords);

/** What `ab` can be told, apart from the paths of suites. */
export const AbOptions = RequestOptions.extend({
  baseline: text.optional(),
  candidate: text.optional(),
  'baseline-var': z.array(z.string()).default([]),
  'candidate-var': z.array(z.string()).default([]),
  'baseline-preset': text.optional(),
  'candidate-preset': text.optional(),
  concurrent: z.boolean().default(false),
  ask: z.array(text).default([]),
  metadata: z.array(z.string()).default([]),
  'baseline-first': z.boolean().default(false),
  'no-warm-up': z.boolean().default(false),
  'randomize-order': z.boolean().default(false),
  'order-seed': text.optional(),
  'cache-reset-ms': wholeNumberOption(0, 3_600_000).optional(),
  concurrency: wholeNumberOption(1, 1000).optional(),
  'max-attempts': wholeNumberOption(1, 20).optional(),
  'initial-delay-ms': wholeNumberOption(0, 600_000).optional(),
  'backoff-factor': factor.optional(),
  'timeout-ms': wholeNumberOption(1, 3_600_000).optional(),
  'context-tokens': wholeNumberOption(0, 100_000_000).optional(),
  session: id.optional(),
  resume: id.optional(),
  notes: z.string().default(''),
  coordinator: text.optional(),
  results: text.default('results'),
  json: z.boolean().default(false),
});
export type AbOptions = z.infer<typeof AbOptions>;

const string = { type: 'string' } as const;
const strings = { type: 'string', multiple: true } as const;
const flag = { type: 'boolean' } as const;

export const abArguments = {
  ...requestArguments,
  baseline: string,
  candidate: string,
  'baseline-var': strings,
  'candidate-var': strings,
  'baseline-preset': string,
  'candidate-preset': string,
  concurrent: flag,
  ask: strings,
  metadata: strings,
  'baseline-first': flag,
  'no-warm-up': flag,
  'randomize-order': flag,
  'order-seed': string,
  'cache-reset-ms': string,
  concurrency: string,
  'max-attempts': string,
  'initial-delay-ms': string,
  'backoff-factor': string,
  'timeout-ms': string,
  'context-tokens': string,
  session: string,
  resume: string,
  notes: string,
  coordinator: string,
  results: string,
  json: flag,
} satisfies ParseArgsOptionsConfig;

export const abHelp = [
  ['--candidate FILE', 'agent file of the candidate; without it the agent of the suite'],
  ['--baseline FILE', 'agent file of the baseline; without it the agent of the suite'],
  ['--baseline-var NAME=VALUE', 'a variable of the baseline only; may be repeated'],
  ['--candidate-var NAME=VALUE', 'a variable of the candidate only; may be repeated'],
  ['--baseline-preset NAME', 'a preset of the baseline only'],
  ['--candidate-preset NAME', 'a preset of the candidate only'],
  ['--ask TEXT', 'ask this question instead of the cases of suites; may be repeated'],
  ['--metadata NAME=VALUE', 'what is noted about the questions of --ask; may be repeated'],
  ['--concurrent', 'ask both agents at once instead of one after the other'],
  ['--cache-reset-ms N', 'pause between the two calls of a pair, 100 by default'],
  ['--baseline-first', 'always ask the baseline first; by default the sides take turns'],
  ['--randomize-order', 'toss a coin for who is asked first'],
  ['--order-seed TEXT', 'the seed of that coin, to have the same order again'],
  ['--no-warm-up', 'leave out the call of each side that counts nowhere'],
  ['--concurrency N', 'pairs at once, 1 by default: more disturb the times of each other'],
  ['--max-attempts N', 'how often an agent is asked before it failed, 3 by default'],
  ['--initial-delay-ms N', 'pause before the second attempt, 100 by default'],
  ['--backoff-factor N', 'how much longer each further pause is, 2 by default'],
  ['--timeout-ms N', 'time limit of one attempt; limits.agent_timeout_ms by default'],
  ['--context-tokens N', 'tokens of the context that the candidate has more, for the record'],
  ['--session ID', 'name the session; without it a name with the time'],
  ['--resume ID', 'go on with a session that was interrupted, as it was started'],
  ['--notes TEXT', 'why this was compared'],
  ['--coordinator URL', 'let the runners of this coordinator ask, with the API token of PROOFMARK_TOKEN'],
  ['--results DIR', 'where sessions are kept, ./results by default'],
  ['--json', 'print the session as JSON'],
  ...requestHelp,
] as const;

/** Options that say what is asked; a resumed comparison knows that by itself. */
const ofNewComparisons = [
  ...['case', 'tag', 'difficulty', 'var', 'preset', 'matrix', 'repetitions', 'baseline', 'candidate', 'baseline-var'],
  ...['candidate-var', 'baseline-preset', 'candidate-preset', 'concurrent', 'randomize-order', 'order-seed'],
  ...['cache-reset-ms', 'concurrency', 'max-attempts', 'initial-delay-ms', 'timeout-ms', 'context-tokens', 'session'],
  'notes',
  ...['ask', 'metadata', 'baseline-first', 'no-warm-up', 'backoff-factor', 'coordinator'],
];

/** Options that only a process that asks by itself can follow. */
const ofThisProcess = [
  ...['concurrent', 'baseline-first', 'no-warm-up', 'randomize-order', 'order-seed', 'cache-reset-ms', 'concurrency'],
  ...['max-attempts', 'initial-delay-ms', 'backoff-factor', 'timeout-ms'],
];

/** Options that make others senseless, and why. */
const exclusions = [
  ['concurrent', ['randomize-order', 'order-seed', 'baseline-first'], 'asks both at once, so there is no order'],
  ['baseline-first', ['randomize-order', 'order-seed'], 'fixes the order'],
  ['ask', ['case', 'tag', 'difficulty', 'matrix'], 'asks no case of a suite'],
  ['coordinator', ['ask'], 'runs cases of suites'],
  ['coordinator', ofThisProcess, 'leaves the order of calls, their pauses and their tries to its runners'],
] as const;

/** What of the typed options contradicts each other; undefined when nothing does. */
export function contradiction(
  values: Readonly<Record<string, unknown>>,
  positionals: readonly string[],
): string | undefined {
  if (values.resume !== undefined) {
    const surplus = ofNewComparisons.find((name) => values[name] !== undefined);
    if (surplus !== undefined) return `--resume goes on as the session was started: leave out --${surplus}.`;
    return positionals.length > 0 ? '--resume goes on as the session was started: leave out the paths.' : undefined;
  }
  const given = (name: string): boolean => values[name] !== undefined;
  for (const [option, others, why] of exclusions) {
    const other = given(option) ? others.find(given) : undefined;
    if (other !== undefined) return `--${option} ${why}: leave out --${other}.`;
  }
  const differs = ['baseline', 'candidate', 'baseline-var', 'candidate-var', 'baseline-preset', 'candidate-preset'];
  return differs.some(given)
    ? undefined
    : 'Say what the candidate is: --candidate FILE, --candidate-var NAME=VALUE or --candidate-preset NAME.';
}

export function abSettingsOf(options: AbOptions): AbSettings {
  const seed = options['order-seed'] ?? (options['randomize-order'] ? randomBytes(8).toString('hex') : null);
  return AbSettings.parse({
    cache_reset_ms: options['cache-reset-ms'],
    concurrent: options.concurrent,
    order: options['baseline-first'] ? 'baseline_first' : 'alternating',
    warm_up: !options['no-warm-up'],
    order_seed: seed,
    pairs_at_once: options.concurrency,
    context_tokens: options['context-tokens'],
    max_attempts: options['max-attempts'],
    initial_delay_ms: options['initial-delay-ms'],
    backoff_factor: options['backoff-factor'],
  });
}

export type SideOptions =
  | { ok: true; assignments: { name: string; text: string }[]; preset: string | null }
  | { ok: false; usage: string };

/** What was typed for one side only. */
export function sideOptions(options: AbOptions, side: 'baseline' | 'candidate'): SideOptions {
  const parsed = parseAssignments(options[`${side}-var`]);
  if (!parsed.ok) return { ok: false, usage: `--${side}-var: ${parsed.error.message}. Type --${side}-var NAME=VALUE.` };
  return { ok: true, assignments: parsed.assignments, preset: options[`${side}-preset`] ?? null };
}
