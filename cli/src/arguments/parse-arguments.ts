import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { suggestName } from '@proofmark/contracts/near-match';
import { z } from 'zod';

/** What was typed after the name of the command. */
export interface CommandInput {
  values: Readonly<Record<string, unknown>>;
  positionals: readonly string[];
}

export type ParsedArguments = { ok: true; input: CommandInput } | { ok: false; usage: string };

/** Options that mean something without a value: what it is then, and which words are one. */
export type OptionalValues = Readonly<Record<string, { absent: string; isValue: (word: string) => boolean }>>;

/** The options and paths of a command; an unknown or incomplete option is a message with a near match. */
export function readArguments(
  args: readonly string[],
  options: ParseArgsOptionsConfig,
  optional: OptionalValues = {},
): ParsedArguments {
  const typed = args.map((word, index) => {
    const { absent, isValue } = optional[word.replace(/^--/, '')] ?? {};
    return absent === undefined || isValue?.(args[index + 1] ?? '') === true ? word : `${word}=${absent}`;
  });
  const loose = parseArgs({ args: typed, options, strict: false, allowPositionals: true, tokens: true });
  for (const token of loose.tokens) {
    if (token.kind !== 'option') continue;
    const option = options[token.name];
    if (option === undefined) return unknownOption(token.rawName, Object.keys(options));
    if (
      option.type === 'string' &&
      (token.value === undefined || isSwallowed(token.value, token.inlineValue, options))
    ) {
      return { ok: false, usage: `${token.rawName} needs a value: ${token.rawName} VALUE` };
    }
    if (option.type === 'boolean' && token.value !== undefined) {
      return { ok: false, usage: `${token.rawName} takes no value` };
    }
  }
  return { ok: true, input: { values: loose.values, positionals: loose.positionals } };
}

/** `--format --json`: the next option was taken for the value. */
const isSwallowed = (value: string, isInline: boolean | undefined, options: ParseArgsOptionsConfig): boolean =>
  isInline !== true && value.startsWith('--') && Object.hasOwn(options, value.slice(2));

function unknownOption(rawName: string, known: readonly string[]): ParsedArguments {
  const match = suggestName(
    rawName,
    known.map((name) => `--${name}`),
  );
  return { ok: false, usage: `There is no option ${rawName}.${match === undefined ? '' : ` ${match}`}` };
}

export type ParsedOptions<Options> = { ok: true; options: Options } | { ok: false; usage: string };

/** The typed options of a command; a value that cannot be meant is a message that names the option. */
export function parseOptions<Schema extends z.ZodType>(
  schema: Schema,
  values: CommandInput['values'],
): ParsedOptions<z.infer<Schema>> {
  const parsed = schema.safeParse(values);
  if (parsed.success) return { ok: true, options: parsed.data };
  const usage = parsed.error.issues.map((issue) => `--${String(issue.path[0])}: ${issue.message}`);
  return { ok: false, usage: usage.join('\n') };
}

/** A whole number as an option's text. */
export const wholeNumberOption = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((number) => number >= least && number <= most, `must be a whole number from ${least} to ${most}`);

/** One of a few words; another one is refused with them all and the nearest. */
export const wordOption = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, {
    error: ({ input }) => {
      const hint = typeof input === 'string' ? suggestName(input, words) : undefined;
      return `must be one of ${words.join(', ')}${hint === undefined ? '' : `. ${hint}`}`;
    },
  });
