import { posix } from 'node:path';
import { pythonCheck, pythonProvider } from './bridge-python.ts';
import { environmentPlace } from './hide-secrets.ts';
import { writtenMark } from './object-mark.ts';
import type { ReadBeside } from './source.ts';

const folder = 'promptfoo';

/** Runs assertions and providers of promptfoo as they are. Written beside what is imported, to be read and changed. */
const javascriptCheck = `// Runs an assertion of promptfoo in JavaScript: a file, or the text of the assertion itself. What it looks at is what
// promptfoo would show it: the calls of tools where there were some, a JSON that was asked for, what a transform makes of it.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const programs = new Map();

async function load(written, names) {
  const [, file, name] = /^file:\\/\\/(.+?\\.[cm]?[jt]s)(?::(\\w+))?$/.exec(written) ?? [];
  if (file === undefined) {
    const code = written.trim().replace(/;+$/, '');
    return new (Object.getPrototypeOf(async () => {}).constructor)(...names, bodyOf(code));
  }
  const loaded = await import(pathToFileURL(resolve(file)).href);
  const found = name === undefined ? (loaded.default?.default ?? loaded.default) : (loaded[name] ?? loaded.default?.[name]);
  if (typeof found !== 'function') throw new Error(\`\${file} exports no function \${name ?? 'default'}\`);
  return found;
}

/** Several lines are a body; one is an expression, or declarations with an expression behind them. */
function bodyOf(code) {
  if (code.includes('\\n') || /^(?:return|if)\\b/.test(code)) return code;
  if (!/^(?:const|let|var)\\b/.test(code)) return \`return (\${code});\`;
  const [last] = [...code.matchAll(/'(?:\\\\.|[^'\\\\])*'|"(?:\\\\.|[^"\\\\])*"|\`(?:\\\\.|[^\`\\\\])*\`|;/g)].filter(([found]) => found === ';').slice(-1);
  return last === undefined ? code : \`\${code.slice(0, last.index + 1)} return (\${code.slice(last.index + 1)});\`;
}

function program(written, names) {
  const found = programs.get(written) ?? load(written, names);
  programs.set(written, found);
  return found;
}

const asText = (output) => (typeof output === 'string' ? output : (JSON.stringify(output) ?? ''));

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The answer as promptfoo hands it on. A provider that gave an object has it written as JSON with a mark behind it. */
function shaped(output, calls, shape) {
  const object = output.endsWith(${writtenMark}) ? parsed(output) : undefined;
  if (typeof object === 'object' && object !== null) return object;
  if (shape === 'json') return parsed(output) ?? output;
  if (shape === undefined || calls.length === 0) return output;
  const named = calls.map(({ id, name, args }) => ({ id, name, args: args ?? {} }));
  if (shape === 'google') return named.map(({ name, args }) => ({ functionCall: { name, args } }));
  if (shape === 'anthropic') {
    const used = named.map(({ id, name, args }) => JSON.stringify({ type: 'tool_use', id, name, input: args }));
    return [output, ...used].filter((part) => part !== '').join('\\n\\n');
  }
  const functions = named.map(({ id, name, args }) => ({ id, function: { name, arguments: JSON.stringify(args) } }));
  if (shape === 'openai-functions') return functions[0].function;
  return functions.map((one) => ({ id: one.id, type: 'function', function: one.function }));
}

/** The first JSON in a text. */
function jsonIn(text) {
  for (let from = text.search(/[[{]/); from !== -1; ) {
    for (let to = text.length; to > from; to = Math.max(text.lastIndexOf('}', to - 2), text.lastIndexOf(']', to - 2)) + 1) {
      const found = parsed(text.slice(from, to));
      if (found !== undefined) return found;
      if (to <= from + 1) break;
    }
    const next = text.slice(from + 1).search(/[[{]/);
    from = next === -1 ? -1 : from + 1 + next;
  }
  return undefined;
}

const low = (text) => text.toLowerCase();

/** Assertions by data, for answers that a transform has changed. */
const plain = {
  equals: (output, value) =>
    typeof value === 'object' ? JSON.stringify(parsed(asText(output))) === JSON.stringify(value) : asText(output) === String(value),
  contains: (output, value) => asText(output).includes(String(value)),
  icontains: (output, value) => low(asText(output)).includes(low(String(value))),
  'contains-all': (output, value) => value.every((one) => asText(output).includes(one)),
  'contains-any': (output, value) => value.some((one) => asText(output).includes(one)),
  'icontains-all': (output, value) => value.every((one) => low(asText(output)).includes(low(one))),
  'icontains-any': (output, value) => value.some((one) => low(asText(output)).includes(low(one))),
  'starts-with': (output, value) => asText(output).startsWith(String(value)),
  'ends-with': (output, value) => asText(output).endsWith(String(value)),
  regex: (output, value) => new RegExp(value).test(asText(output)),
  'is-json': (output, schema) => fits(typeof output === 'string' ? parsed(output) : output, schema),
  'contains-json': (output, schema) => fits(typeof output === 'string' ? jsonIn(output) : output, schema),
};

const kindOf = (value) => (value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value);

function fits(value, schema) {
  if (value === undefined) return false;
  if (schema === undefined || schema === null) return true;
  const kind = kindOf(value);
  if (schema.type !== undefined && schema.type !== kind && !(schema.type === 'number' && kind === 'integer')) return false;
  if (schema.enum !== undefined && !schema.enum.some((one) => JSON.stringify(one) === JSON.stringify(value))) return false;
  if (kind === 'array') return schema.items === undefined || value.every((one) => fits(one, schema.items));
  if (kind !== 'object') return true;
  if (!(schema.required ?? []).every((key) => Object.hasOwn(value, key))) return false;
  return Object.entries(schema.properties ?? {}).every(([key, inner]) => !Object.hasOwn(value, key) || fits(value[key], inner));
}

export default async (output, context) => {
  const { vars, config, shape, transforms = [], assertion, ...written } = context.config;
  const given = { ...context, vars, config, test: { ...context.test, vars } };
  let seen = shaped(output, context.tool_calls ?? [], shape);
  for (const transform of transforms) {
    seen = await (await program(transform, ['output', 'context']))(seen, { vars, prompt: context.prompt });
    if (seen === undefined || seen === null) throw new Error('A transform gave nothing back');
  }
  if (assertion !== undefined) {
    const pass = plain[assertion.type](seen, assertion.value);
    return { pass, reason: pass ? '' : \`\${assertion.type}: \${asText(seen).slice(0, 200)}\` };
  }
  const { file, name, code } = written;
  const run = await program(code ?? \`file://\${file}\${name === undefined ? '' : \`:\${name}\`}\`, ['output', 'context']);
  return await run(seen, given);
};
`;

/** Where the values of tests lie that a provider reads, by the prompt. */
export const varsPath = (name: string): string => `${folder}/vars-${name}.json`;

/** Reads them where they are; a provider that reads none has no such file. */
const readVars = (path: string): string => `
const values = existsSync(${JSON.stringify(path)}) ? JSON.parse(readFileSync(${JSON.stringify(path)}, 'utf8')) : {};
`;

/** Where a value takes up variables of the environment, they are read when the program runs: no file holds a key. */
const asCode = (value: unknown): string => {
  const written = JSON.stringify(value);
  return new RegExp(environmentPlace).test(written) ? `fromEnvironment(${written})` : written;
};

const environmentReader = (code: string): string =>
  code.includes('fromEnvironment(')
    ? `
function fromEnvironment(value) {
  if (Array.isArray(value)) return value.map(fromEnvironment);
  if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fromEnvironment(one)]));
  if (typeof value !== 'string') return value;
  return value.replaceAll(/${environmentPlace}/g, (_whole, name) => {
    if (process.env[name] === undefined) throw new Error(\`\${name} is not set here: set it, and name it in PROOFMARK_PROGRAM_ENVS\`);
    return process.env[name];
  });
}
`
    : '';

/** A function that asks a provider of promptfoo in JavaScript, as an agent of the driver \`module\`. */
const javascriptProvider = (
  name: string,
  { source, exported, config }: { source: string; exported: string | null; config: unknown },
  settings = asCode(config ?? {}),
): string => `// Serves a provider of promptfoo in JavaScript as an agent.
import { existsSync, readFileSync } from 'node:fs';
import * as loaded from ${JSON.stringify(source)};
${readVars(varsPath(name))}${environmentReader(settings)}
const config = ${settings};
const given = ${exported === null ? 'loaded.default?.default ?? loaded.default' : `loaded.${exported} ?? loaded.default?.${exported}`};
const provider = typeof given === 'function' && given.prototype?.callApi ? new given({ id: ${JSON.stringify(source)}, config }) : given;
const call = typeof provider === 'function' ? provider : provider.callApi.bind(provider);

export default async ({ input }) => {
  const { output, error, cost } = await call(input, { vars: values[input] ?? {}, prompt: { raw: input, label: 'prompt' } }, { config });
  if (error) throw new Error(String(error));
  // The checks know an object again by this mark.
  const text = typeof output === 'string' ? output : JSON.stringify(output) + (output && typeof output === 'object' ? ${writtenMark} : '');
  return { output: text, ...(cost === undefined ? {} : { cost_usd: cost }) };
};
`;

/** Fills the places of a template and runs what reads an answer, as promptfoo does for its services. */
const serviceParts = `
const place = /\\{\\{\\s*([A-Za-z_]\\w*)\\s*(\\|\\s*dump\\s*)?\\}\\}/g;
const textOf = (value) => (typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value));
const fill = (text, known) =>
  text.replaceAll(place, (_whole, name, dumps) => (dumps ? JSON.stringify(known[name] ?? null) : textOf(known[name])));

async function programOf(written, names) {
  const [, file, name] = /^file:\\/\\/(.+?\\.[cm]?[jt]s)(?::(\\w+))?$/.exec(written) ?? [];
  if (file !== undefined) {
    const loaded = await import(pathToFileURL(resolve(file)).href);
    return name === undefined ? (loaded.default?.default ?? loaded.default) : (loaded[name] ?? loaded.default?.[name]);
  }
  const isFunction = /^\\s*(?:async\\s*)?(?:\\(|function\\b|\\w+\\s*=>)/.test(written) && /=>|function/.test(written);
  const body = isFunction ? \`return (\${written.trim().replace(/;$/, '')})(\${names.join(', ')});\` : \`return (\${written.trim()});\`;
  return new Function(...names, body);
}

/** What a reader gave back is a text, a value, or an object with an output. */
function said(result) {
  if (result && typeof result === 'object' && result.error) throw new Error(textOf(result.error));
  const output = result && typeof result === 'object' && 'output' in result ? result.output : result;
  if (output === undefined || output === null) throw new Error('What reads the answer found nothing in it');
  // The checks know an object again by this mark.
  return typeof output === 'object' ? textOf(output) + ${writtenMark} : textOf(output);
}
`;

interface HttpRequest {
  address: string;
  method: string;
  headers: unknown;
  body: unknown;
  query: unknown;
  reader: string;
  vars: string;
}

const httpProvider = (
  { vars, reader, ...request }: HttpRequest,
  asked = asCode(request),
): string => `// Asks a service as a provider https of promptfoo does.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
${readVars(vars)}${serviceParts}${environmentReader(asked)}
const request = ${asked};
const read = await programOf(${JSON.stringify(reader)}, ['json', 'text', 'context']);

/** A place that is a whole value takes a JSON as what it is. */
function filled(value, known) {
  if (Array.isArray(value)) return value.map((one) => filled(one, known));
  if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, known)]));
  if (typeof value !== 'string') return value;
  const text = fill(value, known);
  if (!/^\\s*[[{]/.test(text) || text === value) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export default async ({ input }) => {
  const known = { ...values[input], prompt: input };
  const url = new URL(fill(request.address, known));
  for (const [name, value] of Object.entries(filled(request.query, known))) url.searchParams.set(name, textOf(value));
  const isText = typeof request.body === 'string';
  const body = request.body === undefined || request.body === null ? undefined : isText ? fill(request.body, known) : JSON.stringify(filled(request.body, known));
  const headers = { ...(isText ? {} : { 'content-type': 'application/json' }), ...filled(request.headers, known) };
  const response = await fetch(url, { method: request.method, headers, ...(request.method === 'GET' ? {} : { body }) });
  const text = await response.text();
  let json = null;
  try {
    json = JSON.parse(text);
  } catch {
    // What is no JSON is read as text.
  }
  return said(await read(json, text, { response: { status: response.status, statusText: response.statusText, headers: Object.fromEntries(response.headers) } }));
};
`;

interface SocketRequest {
  address: string;
  message: string;
  timeoutMs: number;
  reader: string;
  isStream: boolean;
  vars: string;
}

const socketProvider = (
  { timeoutMs, reader, isStream, vars, ...request }: SocketRequest,
  asked = asCode(request),
): string => `// Asks a service behind a web socket as a provider of promptfoo does.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
${readVars(vars)}${serviceParts}${environmentReader(asked)}
const request = ${asked};
const read = await programOf(${JSON.stringify(reader)}, ${isStream ? "['accumulator', 'event', 'context']" : "['data']"});

function dataOf(event) {
  try {
    return JSON.parse(event.data);
  } catch {
    return event.data;
  }
}

export default ({ input }) =>
  new Promise((keep, fail) => {
    const known = { ...values[input], prompt: input };
    const socket = new WebSocket(fill(request.address, known));
    const timer = setTimeout(() => end(() => fail(new Error('The web socket gave no answer in ${timeoutMs} ms'))), ${timeoutMs});
    const end = (tell) => {
      clearTimeout(timer);
      socket.close();
      tell();
    };
    let accumulator = {};
    socket.onopen = () => socket.send(fill(request.message, known));
    socket.onerror = () => end(() => fail(new Error('The web socket is broken')));
    socket.onclose = () => end(() => fail(new Error('The web socket was closed before an answer')));
    socket.onmessage = (event) => {
      try {
        const [result, isLast] = ${isStream ? 'read(accumulator, event, { vars: known })' : '[read(dataOf(event)), true]'};
        accumulator = result;
        if (isLast) end(() => keep(said(result)));
      } catch (error) {
        end(() => fail(error));
      }
    };
  });
`;

interface Command {
  words: readonly string[];
  config: unknown;
  vars: string;
}

const execProvider = (
  { words, config, vars }: Command,
  asked = asCode({ words, config: { config: config ?? {} } }),
): string => `// Runs a command with the prompt, the settings and the test as its last arguments, as promptfoo does.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
${readVars(vars)}${environmentReader(asked)}
const { words, config } = ${asked};
const [program, ...given] = words;

export default async ({ input }) => {
  const test = { vars: values[input] ?? {}, prompt: { raw: input, label: 'prompt' } };
  const args = [...given, input, JSON.stringify(config), JSON.stringify(test)];
  const { stdout } = await promisify(execFile)(program, args, { maxBuffer: 8_000_000 });
  return stdout.trim();
};
`;

const echoProvider = `// Says what it is asked, as the provider \`echo\` of promptfoo does.
export default ({ input }) => input;
`;

/** A file to write, and its path from the folder of the import. */
export interface BridgeFile {
  path: string;
  text: string;
}

export const isOutside =
  'its name leads out of the folder of the configuration, where nothing is written: move it below';

/**
 * A file of the configuration that is written beside what is imported. Its path is without the detours of its name, whose
 * folders need not be there; whoever names it takes that path.
 */
export function copyBeside(
  path: string,
  readBeside: ReadBeside,
): { ok: true; file: BridgeFile } | { ok: false; reason: string } {
  const beside = readBeside(path);
  if (!beside.ok) return beside;
  const plain = posix.normalize(path.replaceAll('\\', '/'));
  const leads = plain === '..' || plain.startsWith('../') || /^(?:\/|[a-zA-Z]:)/.test(plain);
  return leads ? { ok: false, reason: isOutside } : { ok: true, file: { path: plain, text: beside.text } };
}

export const bridgeFiles = {
  javascriptCheck: { path: `${folder}/javascript-check.mjs`, text: javascriptCheck },
  pythonCheck: { path: `${folder}/python_check.py`, text: pythonCheck },
  pythonProvider: { path: `${folder}/python_provider.py`, text: pythonProvider },
  echo: { path: `${folder}/echo.mjs`, text: echoProvider },
} as const satisfies Record<string, BridgeFile>;

export const javascriptAgent = (name: string, file: string, config: unknown): BridgeFile => ({
  path: `${folder}/${name}.mjs`,
  text: javascriptProvider(name, { source: `../${file}`, exported: null, config }),
});

export const packageAgent = (
  name: string,
  { library, exported }: { library: string; exported: string },
  config: unknown,
): BridgeFile => ({
  path: `${folder}/${name}.mjs`,
  text: javascriptProvider(name, { source: library, exported, config }),
});

export const httpAgent = (name: string, request: HttpRequest): BridgeFile => ({
  path: `${folder}/${name}.mjs`,
  text: httpProvider(request),
});

export const webSocketAgent = (name: string, request: SocketRequest): BridgeFile => ({
  path: `${folder}/${name}.mjs`,
  text: socketProvider(request),
});

export const execAgent = (name: string, command: Command): BridgeFile => ({
  path: `${folder}/${name}.mjs`,
  text: execProvider(command),
});
