import { spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

/**
 * The process of one JavaScript or TypeScript file of the team: a line of JSON in, a line of JSON out. What the code prints
 * goes to the error stream, because the other one carries answers alone. Node runs TypeScript as it is.
 */
const [kind = '', file = '', name = 'default'] = process.argv.slice(2);

type Json = Record<string, unknown>;

const writeLine = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);
const say = (message: Json): void => void writeLine(`${JSON.stringify(message)}\n`);

/** The message of whatever was thrown, and the line of the file where that was. */
function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const at = lineIn(stack) ?? (error instanceof SyntaxError ? lineIn(checked()) : undefined);
  return at === undefined ? message : `${shownFile()}:${at}: ${message}`;
}

/** The line of the file that a text of the engine names. */
function lineIn(text: string): string | undefined {
  const places = [pathToFileURL(file).href, file];
  return places.map((place) => text.split(place)[1]?.match(/^:(\d+)/)?.[1]).find((line) => line !== undefined);
}

/** What the engine says of a file that it cannot read: an error of syntax tells its line to nobody else. */
const checked = (): string =>
  spawnSync(process.execPath, ['--check', file], { encoding: 'utf8', timeout: 10_000 }).stderr;

const shownFile = (): string => (file.startsWith(`${process.cwd()}/`) ? file.slice(process.cwd().length + 1) : file);

type Callable = (...parameters: unknown[]) => unknown;

async function loadFunction(): Promise<Callable> {
  const loaded: Json = await import(pathToFileURL(file).href);
  // A CommonJS module with `exports.default` has it one step deeper.
  const inner = loaded.default as Json | undefined;
  const found = [loaded[name], inner?.[name]].find((one) => typeof one === 'function');
  if (typeof found === 'function') return found as Callable;
  const wanted = name === 'default' ? 'export default a function' : `export a function \`${name}\``;
  throw new Error(`${shownFile()} must ${wanted}`);
}

const loading = loadFunction();
// Told to everybody who asks.
loading.catch(() => undefined);

const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();

async function nextMessage(): Promise<Json | undefined> {
  const line = await lines.next();
  return line.done === true ? undefined : (JSON.parse(line.value) as Json);
}

interface Said {
  role: 'user' | 'assistant';
  content: string;
}
const messages: Said[] = [];
let asking: Promise<unknown> = Promise.resolve();
let calls = 0;

/** Asks for one tool; several at once wait for each other. */
function callTool(tool: string, args: unknown = {}): Promise<unknown> {
  const asked = asking.then(async () => {
    calls += 1;
    say({ tool_requests: [{ id: `call_${calls}`, name: tool, args }] });
    const message = await nextMessage();
    const [answer] = (message?.tool_results ?? []) as Json[];
    return answer?.result ?? null;
  });
  // Whoever asked is told; the next one asks anew.
  asking = asked.catch(() => undefined);
  return asked;
}

async function answerAsAgent(message: Json): Promise<Json> {
  const { conversation_id: conversationId, input, turn, seed, variables, instructions, tools, files } = message;
  const said: Said[] = [...messages, { role: 'user', content: String(input) }];
  const run = await loading;
  const given = { input, messages: said, conversationId, turn, seed, variables, instructions, tools, files, callTool };
  const answer = await run(given);
  const whole: Json = typeof answer === 'string' ? { output: answer } : { ...(answer as Json) };
  if (typeof whole.output !== 'string') throw new Error(`${shownFile()} must return a text, or { output: a text }`);
  messages.splice(0, messages.length, ...said, { role: 'assistant', content: whole.output });
  return whole;
}

async function judge({ output, context }: Json): Promise<Json> {
  const run = await loading;
  const result = await run(output, context);
  return { result: result ?? null };
}

for (let message = await nextMessage(); message !== undefined; message = await nextMessage()) {
  try {
    say(await (kind === 'agent' ? answerAsAgent(message) : judge(message)));
  } catch (error) {
    say({ error: describe(error) });
  }
}
process.exit(0);
