import type { ParseArgsOptionsConfig } from 'node:util';
import type { RefusedFragment, TypedDocument } from '@proofmark/client/documents';
import { isRefused, type Refusal, refusalOf } from '@proofmark/client/refusal';
import type { ClientError, Sent } from '@proofmark/client/send-operation';
import { suggestName } from '@proofmark/contracts/near-match';
import { renderAnswer } from '@proofmark/domain/screen-safe-json';
import { visibleText } from '@proofmark/domain/visible-text';
import { z } from 'zod';
import { type Command, type CommandContext, type CommandResult, done, wrongUsage } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';
import { type CommandInput, parseOptions, wholeNumberOption } from '../arguments/parse-arguments.ts';
import { plain, table } from '../output/terminal.ts';
import { errorWords, type OpenCoordinator, openCoordinator } from './open-coordinator.ts';

/*
 * What a coordinator has is a noun, and what can be done with it is a verb: `proofmark tokens create ci --scope runs:read`.
 * A verb says what it takes, reads it, and tells what came of it; everything else is alike for all of them.
 */

/** A thing by the names that its JSON has. They are the heads of its columns, too. */
export type Row = Readonly<Record<string, unknown>>;

/** Things in a table; or a deed in a sentence, with what JSON says of it. */
type Told = Things | Deed;

interface Things {
  things: readonly Row[];
  hasMore: boolean;
  /** What they are, where they are not what the noun says: `tests`. */
  called?: string;
}

interface Deed {
  did: string;
  answer: Row;
  /** It is stored nowhere: a script takes it from standard output, where it stands alone. */
  secret?: string | undefined;
  /** What came of it is not what was wanted. */
  isInVain?: boolean;
}

export type VerbAnswer =
  | { ok: true; told: Told }
  | { ok: false; error: ClientError }
  | { ok: false; refusal: Refusal }
  | { ok: false; usage: string };

/** What stands for its value in help, empty where it has none and with … where it may be repeated; what it means; its type. */
type Option = readonly [value: string, meaning: string, type: z.ZodType];
type Options = Readonly<Record<string, Option>>;

interface Asked<Typed> {
  /** As many as the verb takes. */
  words: readonly string[];
  options: Typed;
  coordinator: OpenCoordinator;
}

interface VerbOf<Typed, Known extends Options> {
  /** The words behind it, such as `NAME`. */
  takes?: readonly string[];
  /** One line for help. */
  does: string;
  options?: Known;
  run: (asked: Asked<Typed>) => Promise<VerbAnswer>;
}

export type Verb = Required<VerbOf<unknown, Options>>;

type TypedBy<Known extends Options> = { -readonly [Name in keyof Known]: z.infer<Known[Name][2]> };

export function verb<const Known extends Options>({
  takes = [],
  does,
  options,
  run,
}: VerbOf<TypedBy<Known>, Known>): Verb {
  // They were read by the types that stand in the same table.
  return { takes, does, options: options ?? {}, run: (asked) => run(asked as Asked<TypedBy<Known>>) };
}

/** How much of a list is wanted. */
export const limitOption = [
  'N',
  'how many of them at the most, 50 unless set',
  wholeNumberOption(1, 1000).default(50),
] as const;

interface Page<Node> {
  edges: { node: Node }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** Where a page of a list begins, and how long it may be. */
interface Cut {
  first?: number | null | undefined;
  after?: string | null | undefined;
}

interface ListOf<Typed, Known extends Options, Data, Variables, Node> {
  does: string;
  options?: Known;
  document: TypedDocument<Data, Variables>;
  /** What is asked for beside the place in the list. */
  asks?: (options: Typed) => Omit<Variables, keyof Cut>;
  page: (data: Data) => Page<Node>;
  row: (node: Node) => Row;
}

/** A verb that lists: it reads pages until there are as many as are wanted. */
export function listVerb<const Known extends Options, Data, Variables extends Cut, Node>({
  does,
  options,
  document,
  asks,
  page,
  row,
}: ListOf<TypedBy<Known>, Known, Data, Variables, Node>): Verb {
  return {
    takes: [],
    does,
    options: { ...options, limit: limitOption },
    run: async ({ options: typed, coordinator }) => {
      const { limit: most, ...others } = z.looseObject({ limit: z.number() }).parse(typed);
      const asked = asks?.(others as TypedBy<Known>); // the limit is ours alone
      const read = await readList(most, async (cut) => {
        const variables = { ...asked, ...cut } as Variables; // the two parts that it is made of
        const sent = await coordinator.patient.ask(document, variables);
        return sent.ok ? { ok: true, answer: page(sent.answer) } : sent;
      });
      if (!read.ok) return read;
      const { nodes, hasMore } = read.answer;
      return { ok: true, told: { things: nodes.map(row), hasMore } };
    },
  };
}

const mostOnPage = 100;

/** The beginning of a list, page by page. */
export async function readList<Node>(
  most: number,
  read: (cut: { first: number; after: string | null }) => Promise<Sent<Page<Node> | null>>,
): Promise<Sent<{ nodes: Node[]; hasMore: boolean }>> {
  const nodes: Node[] = [];
  let after: string | null = null;
  for (;;) {
    const sent = await read({ first: Math.min(mostOnPage, most - nodes.length), after });
    if (!sent.ok) return sent;
    const { edges = [], pageInfo } = sent.answer ?? {};
    nodes.push(...edges.map(({ node }) => node));
    after = pageInfo?.hasNextPage === true ? pageInfo.endCursor : null;
    if (after === null || nodes.length >= most) return { ok: true, answer: { nodes, hasMore: after !== null } };
  }
}

/** More than somebody has given names to; what lies behind is named by its id. */
const mostNamed = 1000;

type Found = { ok: true; id: string } | Exclude<VerbAnswer, { ok: true }>;

/** The id of what somebody means by its name or by its id. */
export async function findOne<Node extends { id: string }>({
  word,
  what,
  read,
  nameOf,
}: {
  word: string;
  /** As people call it: `channel`. */
  what: string;
  read: (cut: { first: number; after: string | null }) => Promise<Sent<Page<Node>>>;
  nameOf: (node: Node) => string;
}): Promise<Found> {
  if (z.uuid().safeParse(word).success) return { ok: true, id: word };
  const list = await readList(mostNamed, read);
  if (!list.ok) return list;
  const named = list.answer.nodes.filter((node) => nameOf(node) === word);
  const [only, ...others] = named;
  if (only !== undefined && others.length === 0) return { ok: true, id: only.id };
  if (only !== undefined)
    return { ok: false, usage: `Several have the name ${word}: name one by its id, ${inWords(named)}.` };
  const hint = suggestName(word, list.answer.nodes.map(nameOf));
  return { ok: false, usage: [`There is no ${what} ${word}.`, hint].filter(Boolean).join(' ') };
}

const inWords = (nodes: readonly { id: string }[]): string => nodes.map(({ id }) => id).join(' or ');

/** What a mutation came to: `tell` says what it has done, where it was not refused. */
export function deedOf<Data, Result extends object>(
  sent: Sent<Data>,
  pick: (data: Data) => Result,
  tell: (done: Exclude<Result, RefusedFragment>) => Deed,
): VerbAnswer {
  if (!sent.ok) return sent;
  const result = pick(sent.answer);
  if (isRefused(result)) return { ok: false, refusal: refusalOf(result) };
  return { ok: true, told: tell(result as Exclude<Result, RefusedFragment>) }; // the others are refused
}

/** A word of the schema as people read it: `NEWLY_FLAKY` is newly_flaky. */
export const shownWord = (constant: string): string => constant.toLowerCase();

/**
 * Sends a mutation whose answer is shown once, and sends it once: a second try is refused, or makes a second thing, and
 * neither shows what the first has made. Where its answer is lost, `cure` says how to go on.
 */
export async function askOnce<Data, Variables>(
  { quick }: OpenCoordinator,
  { document, variables, cure }: { document: TypedDocument<Data, Variables>; variables: Variables; cure: string },
): Promise<Sent<Data>> {
  const sent = await quick.ask(document, variables);
  if (sent.ok || !isLost(sent.error)) return sent;
  const message = `${sent.error.message.replace(/\.$/, '')}. It may have been made all the same: ${cure}`;
  return { ok: false, error: { ...sent.error, message } };
}

/** Nobody knows what came of the request. */
const isLost = ({ code, isTransient, isUnsent = false }: ClientError): boolean =>
  !isUnsent && code !== 'RATE_LIMITED' && (isTransient || code === 'ABORTED' || code === 'UNEXPECTED_ANSWER');

interface Noun {
  /** As it is typed, and as the list of its things is called in JSON. */
  name: string;
  /** The first one is meant where none is typed. */
  verbs: Readonly<Record<string, Verb>>;
}

const common = {
  coordinator: [
    'URL',
    'where it is; PROOFMARK_COORDINATOR by default. The token is that of PROOFMARK_TOKEN',
    z.string(),
  ],
  json: ['', 'print the answer as JSON', z.boolean()],
} as const satisfies Options;
const CommonOptions = z.object({
  coordinator: z.string().min(1, 'must not be empty').optional(),
  json: z.boolean().default(false),
});

/** The command of a noun, with the help that follows from its verbs. */
export function nounCommand(noun: Noun): Command {
  const verbs = Object.entries(noun.verbs);
  const all: [string, Option][] = [
    ...verbs.flatMap(([, { options }]) => Object.entries(options)),
    ...Object.entries(common),
  ];
  return {
    synopsis: `${verbs.map(([name, one], at) => (at === 0 ? `[${usageOf(name, one)}]` : usageOf(name, one))).join(' | ')}  [--coordinator URL] [--json]`,
    optionHelp: [
      ...verbs.map(([name, { takes, does }]) => [[name, ...takes].join(' '), does] as const),
      ...optionHelp(verbs),
      ...Object.entries(common).map(([name, [value, meaning]]) => [withValue(name, value), meaning] as const),
    ],
    options: Object.fromEntries(all.map(([name, option]) => [name, argumentOf(option)])),
    verbs: verbs.map(([name]) => name),
    run: async (input, context) => {
      const typed = readTyped(noun, input);
      if (!typed.ok) return typed;
      const { chosen, words, options, shared } = typed;
      const opened = openCoordinator(shared.coordinator, context);
      if (!opened.ok) return wrongUsage(opened.usage);
      const answered = await chosen.run({ words, options, coordinator: opened.coordinator });
      if (answered.ok) return tell(answered.told, { noun, isJson: shared.json, context });
      return 'usage' in answered ? wrongUsage(answered.usage) : refuse(answered, chosen.options, context);
    },
  };
}

interface Typed extends Pick<Asked<unknown>, 'words' | 'options'> {
  chosen: Verb;
  shared: z.infer<typeof CommonOptions>;
}

/** The verb that was typed, with everything that it takes. */
function readTyped(
  noun: Noun,
  { values, positionals }: CommandInput,
): ({ ok: true } & Typed) | { ok: false; usage: string } {
  const refused = (usage: string) => ({ ok: false as const, usage });
  const [name = Object.keys(noun.verbs)[0] ?? '', ...words] = positionals;
  const chosen = Object.hasOwn(noun.verbs, name) ? noun.verbs[name] : undefined;
  if (chosen === undefined) return refused(unknownVerb(noun, name));
  const foreign = Object.keys(values).find((option) => !Object.hasOwn({ ...chosen.options, ...common }, option));
  if (foreign !== undefined) return refused(`--${foreign} is not for \`proofmark ${noun.name} ${name}\`.`);
  if (words.length !== chosen.takes.length || words.includes(''))
    return refused(`Type \`proofmark ${noun.name} ${usageOf(name, chosen)}\`.`);
  const types = Object.entries(chosen.options).map(([option, [, , type]]) => [option, type] as const);
  const own = parseOptions(z.object(Object.fromEntries(types)), values);
  if (!own.ok) return own;
  const shared = parseOptions(CommonOptions, values);
  return shared.ok ? { ok: true, chosen, words, options: own.options, shared: shared.options } : shared;
}

const withValue = (name: string, value: string): string =>
  `--${name}${value === '' ? '' : ` ${value.replace('…', '')}`}`;

const argumentOf = ([value]: Option): ParseArgsOptionsConfig[string] =>
  value === '' ? { type: 'boolean' } : { type: 'string', multiple: value.endsWith('…') };

/** `create NAME --scope SCOPE…`: with the options that it cannot do without. */
function usageOf(name: string, { takes, options }: Verb): string {
  const needed = Object.entries(options)
    .filter(([, [, , type]]) => !type.safeParse(undefined).success)
    .map(([option, [value]]) => `--${option} ${value}`);
  return [name, ...takes, ...needed].join(' ');
}

/** Each option once for each meaning, with the verbs that it is for. */
function optionHelp(verbs: readonly (readonly [string, Verb])[]): (readonly [string, string])[] {
  const uses = verbs.flatMap(([of, { options }]) =>
    Object.entries(options).map(([name, [value, meaning]]) => ({ of, option: withValue(name, value), value, meaning })),
  );
  return [...Map.groupBy(uses, ({ option, meaning }) => `${option} ${meaning}`).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const repeated = first.value.endsWith('…') ? '; may be repeated' : '';
    return [[first.option, `${same.map(({ of }) => of).join(', ')}: ${first.meaning}${repeated}`] as const];
  });
}

function unknownVerb({ name, verbs }: Noun, typed: string): string {
  const known = Object.keys(verbs);
  const hint = suggestName(typed, known);
  return [`There is no \`proofmark ${name} ${typed}\`, only ${known.join(', ')}.`, hint].filter(Boolean).join(' ');
}

interface Telling {
  noun: Noun;
  isJson: boolean;
  context: CommandContext;
}

function tell(told: Told, { noun, isJson, context: { terminal } }: Telling): CommandResult {
  if ('did' in told) {
    const { did, answer, secret, isInVain = false } = told;
    if (isJson) terminal.write(renderAnswer(answer));
    else if (secret === undefined) terminal.write(`${plain(did)}\n`);
    else {
      terminal.writeError(`${plain(did)} What follows is shown this once, and stored nowhere.\n`);
      terminal.write(`${visibleText(secret)}\n`);
    }
    return done(isInVain ? exitCodes.notJudged : exitCodes.fine);
  }
  const { things, hasMore, called = noun.name } = told;
  terminal.write(isJson ? renderAnswer({ [called]: things }) : (tableOf(things) ?? `No ${called}.\n`));
  if (hasMore) terminal.writeError('There are more: --limit N shows them.\n');
  return done(exitCodes.fine);
}

/** Undefined where there is nothing to show. */
function tableOf(rows: readonly Row[]): string | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const head = Object.keys(first).map((name) => name.replaceAll('_', ' ').toUpperCase());
  return table([head, ...rows.map((row) => Object.values(row).map(cellOf))]);
}

const moment = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$/;

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(cellOf).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = plain(typeof value === 'string' ? value : JSON.stringify(value));
  return text === '' ? '-' : text.replace(moment, '$1 $2');
}

/** Why nothing came of it. What the coordinator calls an argument is told as the option that it came from. */
function refuse(
  answered: Exclude<VerbAnswer, { ok: true } | { usage: string }>,
  options: Options,
  { terminal }: CommandContext,
): CommandResult {
  if ('error' in answered) {
    const { error } = answered;
    terminal.writeError(`${plain(errorWords(error))} (${plain(error.code)})\n`);
    return done(error.isTransient ? exitCodes.notJudged : exitCodes.wrongUsage);
  }
  const { code, message, arguments: wrong, problems, retryAfterMs } = answered.refusal;
  const remarks = [...wrong, ...problems];
  for (const { path, message: why } of remarks)
    terminal.writeError(`${plain(optionOf(path, options))}: ${plain(why)}\n`);
  if (remarks.length === 0) terminal.writeError(`${plain(message)}\n`);
  terminal.writeError(`Nothing is done (${plain(code)}).\n`);
  return done(retryAfterMs === null ? exitCodes.wrongUsage : exitCodes.notJudged);
}

function optionOf(path: string, options: Options): string {
  const [first = ''] = path.split('.');
  const name = first.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('_', '-');
  // Of several it is the plural there, and what belongs to a part of a thing begins with the name of the part.
  const spellings = [name, name.replace(/s$/, ''), name.replace(/^[a-z]+-/, '')];
  const option = spellings.find((one) => Object.hasOwn(options, one));
  return option === undefined ? path : `--${option}`;
}
