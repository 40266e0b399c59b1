import { posix } from 'node:path';
import { z } from 'zod';
import {
  type BridgeFile,
  bridgeFiles,
  copyBeside,
  execAgent,
  httpAgent,
  isOutside,
  javascriptAgent,
  packageAgent,
  varsPath,
  webSocketAgent,
} from './bridge-files.ts';
import { environmentPlace, isFileOfSecrets, namesSecret, secretsIn } from './hide-secrets.ts';
import {
  type At,
  type Config,
  type ImportedProvider,
  type Named,
  type ReadValues,
  refuseProvider,
} from './imported-provider.ts';
import { type ReadBeside, readSource, type Source, type SourcePath } from './source.ts';

/** A program of the repository: a function, or a process. */
export function ownProgram(named: Named, config: Config, at: At): ImportedProvider | null | undefined {
  const { id, label } = named;
  const isProgram = /^(?:exec:|package:|python:|file:\/\/|\.\.?\/)/.test(id);
  if (isProgram && readsOtherwise([id, config])) return refuseProvider(at, `provider ${id}: ${readOtherwise}`);
  if (id === 'echo') return asFunction(named, label ?? 'echo', [bridgeFiles.echo]);
  const command = /^exec:(.+)$/.exec(id)?.[1];
  if (/^wss?:\/\//.test(id)) return socketAgent(named, config, at);
  const [, library, exported] = /^package:(@?[\w./-]+?):(\w+)$/.exec(id) ?? [];
  if (library !== undefined && exported !== undefined) {
    const stem = stemOf(library);
    const reads = readBy(stem, []);
    return asFunction(named, label ?? stem, [packageAgent(stem, { library, exported }, config)], reads);
  }
  if (command !== undefined) return ownCommand(named, { command, config }, at);
  const [, file, name = 'call_api'] =
    /^(?:file:\/\/|python:|(?=\.\.?\/))(?:\.\/)?([^:]+\.(?:py|[cm]?[jt]s))(?::(\w+))?$/.exec(id) ?? [];
  return file === undefined ? undefined : ownFile(named, { file, name, config }, at);
}

const readOtherwise = 'its settings take a value of the environment in another way than {{env.NAME}}';
const readsOtherwise = (value: unknown): boolean =>
  /\{[{%][^}]*\benv\b/.test(JSON.stringify(value).replaceAll(new RegExp(environmentPlace, 'g'), ''));

const stemOf = (text: string): string =>
  text
    .replaceAll(/[^a-zA-Z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40);

const readBy = (stem: string, programs: readonly BridgeFile[], templates: string[] = []): ReadValues => ({
  path: varsPath(stem),
  code: programs.map(({ text }) => text).join('\n'),
  templates,
});

/** The first of the files is the function. */
const asFunction = (
  named: Named,
  name: string,
  files: [BridgeFile, ...BridgeFile[]],
  reads: ReadValues | null = null,
): ImportedProvider => ({
  ...named,
  ...{ kind: 'agent', name, files, reads },
  driver: { type: 'module', file: files[0].path },
});

/** A command is run as it is; the files that it names come along. */
function ownCommand(
  named: Named,
  { command, config }: { command: string; config: Config },
  at: At,
): ImportedProvider | null {
  const stem = stemOf(command);
  const words: string[] = [];
  const copied: BridgeFile[] = [];
  for (const one of command.trim().split(/\s+/)) {
    const found = ownWord(one, at.readBeside);
    if (typeof found === 'string') return refuseProvider(at, `provider ${named.id}: ${found}`);
    words.push(found.word);
    copied.push(...found.files);
  }
  const files: [BridgeFile, ...BridgeFile[]] = [execAgent(stem, { words, config, vars: varsPath(stem) }), ...copied];
  return asFunction(named, named.label ?? stem, files, readBy(stem, [...copied, { path: '', text: command }]));
}

/** A word of a command with the file that it names; why that one cannot come along. */
function ownWord(word: string, readBeside: ReadBeside): { word: string; files: BridgeFile[] } | string {
  const path = word.replace(/^\.\//, '');
  if (!/^[\w./-]+\.\w+$/.test(path) || path.startsWith('/')) return { word, files: [] };
  const copied = copyBeside(path, readBeside);
  // Without a folder in its name, a program would be looked for elsewhere.
  if (copied.ok) return { word: copied.file.path === path ? word : `./${copied.file.path}`, files: [copied.file] };
  const isNeeded = copied.reason === isOutside || /\.(?:py|[cm]?[jt]s|rb|sh|pl|php)$/.test(path);
  return isNeeded ? `${path}: ${copied.reason}` : { word, files: [] };
}

function ownFile(
  named: Named,
  { file, name, config }: { file: string; name: string; config: Config },
  at: At,
): ImportedProvider | null {
  const { id, label } = named;
  const beside = copyBeside(file, at.readBeside);
  if (!beside.ok) return refuseProvider(at, `provider ${id}: ${beside.reason}`);
  const { file: copied } = beside;
  const stem = stemOf(copied.path);
  // A provider is told the values of the test beside the prompt: they lie in a file, by the prompt.
  const reads = /\bvars\b/.test(copied.text) ? readBy(stem, [copied]) : null;
  if (!file.endsWith('.py'))
    return asFunction(named, label ?? stem, [javascriptAgent(stem, copied.path, config), copied], reads);
  const read = readSettings(config, [], at.readBeside);
  if (!read.ok) return refuseProvider({ ...at, path: [...at.path, ...read.path] }, `provider ${id}: ${read.reason}`);
  const settings = JSON.stringify(read.value);
  const command = ['python3', bridgeFiles.pythonProvider.path, copied.path, name, settings, varsPath(stem)];
  return {
    ...named,
    ...{ kind: 'agent', name: label ?? stem, driver: { type: 'command', command }, reads },
    files: [bridgeFiles.pythonProvider, copied, ...read.files],
  };
}

type ReadSettings = { ok: true; value: unknown; files: BridgeFile[] } | { ok: false; reason: string; path: SourcePath };

/** Settings whose files come along, and are read when the provider runs: what stands in them is in no command. */
function readSettings(value: unknown, path: SourcePath, readBeside: ReadBeside): ReadSettings {
  if (typeof value === 'string' && value.startsWith('file://')) {
    const read = readSetting(value, path, readBeside);
    return typeof read === 'string' ? { ok: false, reason: read, path } : { ok: true, ...read };
  }
  if (typeof value !== 'object' || value === null) return { ok: true, value, files: [] };
  const read: [string, unknown][] = [];
  const files: BridgeFile[] = [];
  for (const [key, inner] of Object.entries(value)) {
    const found = readSettings(inner, [...path, Array.isArray(value) ? Number(key) : key], readBeside);
    if (!found.ok) return found;
    read.push([key, found.value]);
    files.push(...found.files);
  }
  return { ok: true, value: Array.isArray(value) ? read.map(([, inner]) => inner) : Object.fromEntries(read), files };
}

const notCopied =
  'a secret is not copied; let the provider read it from its environment, and name the variable in PROOFMARK_PROGRAM_ENVS';

function readSetting(
  named: string,
  keys: SourcePath,
  readBeside: ReadBeside,
): { value: unknown; files: BridgeFile[] } | string {
  const [, written = '', ending = '', name = ''] = /^file:\/\/(?:\.\/)?(.+?\.(\w+))(:\w+)?$/.exec(named) ?? [];
  const copied = copyBeside(written, readBeside);
  if (!copied.ok) return `${written}: ${copied.reason}`;
  const { path, text } = copied.file;
  const { dir, name: stem } = posix.parse(path);
  const isData = /^(?:json|ya?ml|txt)$/.test(ending);
  if ([...keys.map(String), ...dir.split('/'), stem].some(namesSecret) || (isData && isFileOfSecrets(stem)))
    return `${path}: ${notCopied}`;
  const asWritten = { value: `file://${path}${name}`, files: [copied.file] };
  if (/^(?:py|[cm]?[jt]s)$/.test(ending)) return asWritten;
  const content = contentOf(path, text);
  if (typeof content === 'string') return content;
  // The setting and the file tell what stands in it, too.
  const secret = [keys.findLast((key) => typeof key === 'string') ?? '', stem].flatMap((key) =>
    secretsIn({ [key]: content.value }),
  )[0];
  if (secret !== undefined) return `${placeIn(path, content, secret.slice(1))}: ${notCopied}`;
  if (/^(?:txt|md)$/.test(ending)) return asWritten;
  // Python reads JSON by itself, and YAML not.
  const file = { path: `promptfoo/${path}.json`, text: `${JSON.stringify(content.value, null, 2)}\n` };
  return { value: `file://${file.path}`, files: [file] };
}

type Content = Pick<Source, 'value' | 'lineOf'>;

function contentOf(path: string, text: string): Content | string {
  if (/\.(?:txt|md)$/.test(path)) return { value: text.trim(), lineOf: () => 1 };
  const read = /\.(?:json|ya?ml)$/.test(path) ? readSource(path, text) : undefined;
  return read?.ok === true ? read.source : (read?.message ?? `${path}: no setting is read from such a file`);
}

const placeIn = (path: string, { lineOf }: Content, inside: SourcePath): string =>
  inside.length === 0 ? path : `${path}:${lineOf(inside)} ${inside.join('.')}`;

/** A program in JavaScript: the text of it, or a file, which is copied; why there is none, where there is none. */
function programOf(value: unknown, at: At): { code: string; files: BridgeFile[] } | string {
  if (typeof value !== 'string') return 'what reads its answer is no text';
  const [, file, name] = /^file:\/\/(?:\.\/)?(.+?\.[cm]?[jt]s)(?::(\w+))?$/.exec(value.trim()) ?? [];
  if (file === undefined)
    return value.startsWith('file://') ? 'what reads its answer is no JavaScript' : { code: value, files: [] };
  const copied = copyBeside(file, at.readBeside);
  if (!copied.ok) return `${file}: ${copied.reason}`;
  return { code: `file://${copied.file.path}${name === undefined ? '' : `:${name}`}`, files: [copied.file] };
}

/** A request that only a program can make or read: it is written as one. Keys are in no program: it reads them when it runs. */
function requestAgent(
  named: Named,
  asked: { address: string; method: string; headers: unknown; body: unknown; query: unknown },
  parser: unknown,
  at: At,
): ImportedProvider | null {
  const { id, label } = named;
  if (readsOtherwise(asked)) return refuseProvider(at, `provider ${id}: ${readOtherwise}`);
  const reader = programOf(parser ?? 'text', at);
  if (typeof reader === 'string') return refuseProvider(at, `provider ${id}: ${reader}`);
  const stem = stemOf(label ?? asked.address.replace(/^https?:\/\//, ''));
  const files: [BridgeFile, ...BridgeFile[]] = [
    httpAgent(stem, { ...asked, reader: reader.code, vars: varsPath(stem) }),
    ...reader.files,
  ];
  return asFunction(named, label ?? stem, files, readBy(stem, [], [JSON.stringify(asked)]));
}

function socketAgent(named: Named, config: Config, at: At): ImportedProvider | null {
  const { id, label } = named;
  const { messageTemplate, transformResponse, streamResponse, timeoutMs, ...others } = config;
  for (const key of Object.keys(others)) at.remarks.add(at.source, [...at.path, key], `${key} has no counterpart`);
  if (typeof messageTemplate !== 'string') return refuseProvider(at, `provider ${id}: its message is no template`);
  if (readsOtherwise([id, messageTemplate])) return refuseProvider(at, `provider ${id}: ${readOtherwise}`);
  const reader = programOf(streamResponse ?? transformResponse ?? 'data', at);
  if (typeof reader === 'string') return refuseProvider(at, `provider ${id}: ${reader}`);
  const stem = stemOf(label ?? id);
  const told = { address: id, message: messageTemplate, timeoutMs: Number(timeoutMs ?? 10_000), vars: varsPath(stem) };
  const files: [BridgeFile, ...BridgeFile[]] = [
    webSocketAgent(stem, { ...told, reader: reader.code, isStream: streamResponse !== undefined }),
    ...reader.files,
  ];
  const programs = [...reader.files, { path: '', text: reader.code }];
  return asFunction(named, label ?? stem, files, readBy(stem, programs, [id, messageTemplate]));
}

/** A service behind an address, whose request and answer are told in data. */
export function service(named: Named, config: Config, at: At): ImportedProvider | null | undefined {
  const { id } = named;
  if (/^llama(?::|$)/.test(id)) return llamaServer(named, config, at);
  const address = /^https?:\/\//.test(id) ? id : config.url;
  if (!/^https?(?:$|:)/.test(id) || typeof address !== 'string') return undefined;
  const {
    url: _url,
    method = 'POST',
    headers,
    body,
    queryParams,
    transformResponse,
    responseParser,
    ...others
  } = config;
  for (const key of Object.keys(others)) at.remarks.add(at.source, [...at.path, key], `${key} has no counterpart`);
  const parser = transformResponse ?? responseParser;
  const response = pathOf(parser);
  const parts = {
    request: placed(body),
    headers: placedTexts(headers, placedSecret),
    query: placedTexts(queryParams, placedText),
  };
  const isData = !Object.values(parts).includes(unclear) && !address.includes('{{');
  if (response !== undefined && isData) return asService(named, { address, method, response, ...parts });
  const asked = { address, method: String(method), headers: headers ?? {}, body, query: queryParams ?? {} };
  return requestAgent(named, asked, parser, at);
}

const Sampling = z.looseObject({ baseUrl: z.url().optional(), n_predict: z.int().default(512) });
const sampling = new Set([
  ...['temperature', 'top_k', 'top_p', 'n_keep', 'stop', 'repeat_penalty', 'repeat_last_n', 'penalize_nl', 'seed'],
  ...['presence_penalty', 'frequency_penalty', 'mirostat', 'mirostat_tau', 'mirostat_eta', 'ignore_eos', 'logit_bias'],
]);

/** The server of llama.cpp, which goes on with a text. */
function llamaServer(named: Named, config: Config, at: At): ImportedProvider | null {
  const parsed = Sampling.safeParse(config);
  if (!parsed.success) return refuseProvider(at, `provider ${named.id}: its settings have a form that is not known`);
  const { baseUrl = 'http://localhost:8080', n_predict, ...others } = parsed.data;
  if (parsed.data.baseUrl === undefined)
    at.remarks.note(
      at.source,
      at.path,
      `provider ${named.id}: asked at ${baseUrl}; where LLAMA_BASE_URL said otherwise, write it as \`url\` of the agent`,
    );
  for (const key of Object.keys(others))
    if (!sampling.has(key)) at.remarks.add(at.source, [...at.path, key], `${key} has no counterpart`);
  const known = Object.fromEntries(Object.entries(others).filter(([key]) => sampling.has(key)));
  const request = { prompt: { $from: 'input' }, n_predict, ...known };
  const address = `${baseUrl.replace(/\/$/, '')}/completion`;
  return asService(named, { address, method: 'POST', request, headers: {}, query: {}, response: 'content' });
}

/** `json.choices[0].text` as our paths are written; undefined for more of a program than that. */
const pathOf = (answer: unknown): string | undefined =>
  typeof answer === 'string' ? /^json\.?((?:\.?\w+|\[-?\d+\])+)$/.exec(answer.trim())?.[1] : undefined;

interface Request {
  address: string;
  method: unknown;
  request: unknown;
  headers: unknown;
  query: unknown;
  response: string;
}

function asService(named: Named, { address, method, request, headers, query, response }: Request): ImportedProvider {
  const { label } = named;
  const driver = {
    ...{ type: 'http', url: address, method },
    ...(isEmpty(headers) ? {} : { headers }),
    ...(isEmpty(query) ? {} : { query }),
    mapping: { request, response },
  };
  return { ...named, ...{ kind: 'agent', name: label ?? new URL(address).hostname, driver, files: [], reads: null } };
}

const isEmpty = (value: unknown): boolean => Object.keys(Object(value)).length === 0;

/** Stands for a value that is made in a way we have no words for. */
const unclear = Symbol('unclear');

/** A body with the place of the prompt. */
function placed(value: unknown): unknown {
  if (typeof value === 'string') return placedText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(placed);
    return items.includes(unclear) ? unclear : items;
  }
  const entries = Object.entries(value).map(([key, inner]) => [key, placed(inner)] as const);
  return entries.some(([, inner]) => inner === unclear) ? unclear : Object.fromEntries(entries);
}

const prompt = /\{\{\s*prompt\s*\}\}/;

function placedText(text: string): unknown {
  const [before = '', ...after] = text.split(prompt);
  if (before.includes('{{') || after.some((part) => part.includes('{{'))) return unclear;
  if (after.length === 0) return text;
  const parts = [before, ...after.flatMap((part) => [{ $from: 'input' }, part])].filter((part) => part !== '');
  return parts.length === 1 ? parts[0] : { $concat: parts };
}

/** Headers or query; only headers may name secrets, because an address is kept in logs. */
function placedTexts(value: unknown, place: (text: string) => unknown): unknown {
  const texts = z.record(z.string(), z.union([z.string(), z.number()])).safeParse(value ?? {});
  if (!texts.success) return unclear;
  // The request decides itself what it carries.
  const kept = Object.entries(texts.data).filter(([name]) => !/^content-(?:type|length)$/i.test(name));
  const filled = kept.map(([name, text]) => [name, place(String(text))] as const);
  return filled.some(([, inner]) => inner === unclear) ? unclear : Object.fromEntries(filled);
}

function placedSecret(text: string): unknown {
  const [, prefix = '', secret] = /^([^{]*)\{\{\s*env\.(\w+)\s*\}\}$/.exec(text) ?? [];
  return secret === undefined ? placedText(text) : { from_env: secret, ...(prefix === '' ? {} : { prefix }) };
}
