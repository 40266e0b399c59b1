import { z } from 'zod';
import { copiedSecret, holdsSecret } from './hide-secrets.ts';
import { isTemplate, renderTemplate } from './render-template.ts';
import { type ListBeside, type ReadBeside, type Remarks, readSource, type Source, type SourcePath } from './source.ts';

/** An address, or a kind of picture with its bytes in base64. */
export type Picture = { url: string } | { mediaType: string; base64: string };

/** A prompt as an agent has it: what never changes, and what each question is made of. */
export interface ImportedPrompt {
  name: string;
  /** What tests may call it by. */
  ids: string[];
  /** Of a model. Absent: the prompt as it stands is the message. */
  instructions: string;
  /** What was said before the message, templates too. */
  messages: { role: 'user' | 'assistant'; content: string }[];
  input: string;
  /** Pictures of its last message: an address, or what is in it, templates too. */
  pictures?: Picture[];
  /** A chat only once the values of a test are filled in: its messages are those of each test. */
  isRendered?: true;
  /** Its first lines have become the instructions; in promptfoo all is one message. */
  isSplit?: true;
  /** The whole of it, as a provider that is no model gets it. */
  whole: string;
  /** Where it stands in the configuration. */
  path: SourcePath;
}

interface Reading {
  source: Source;
  readBeside: ReadBeside;
  listBeside: ListBeside;
  /** The values that all tests have in common. */
  common: Readonly<Record<string, unknown>>;
  remarks: Remarks;
}

const Entry = z.looseObject({
  id: z.string().optional(),
  label: z.string().optional(),
  raw: z.string().optional(),
  config: z.record(z.string(), z.unknown()).optional(),
});

/** Settings that a prompt brings with it: those of the only one are settings of its models. */
export function settingsOfPrompts(
  prompts: readonly unknown[],
  { source, remarks }: Pick<Reading, 'source' | 'remarks'>,
) {
  const [only, ...others] = prompts;
  if (others.length === 0) return Entry.safeParse(only).data?.config ?? {};
  for (const [at, prompt] of prompts.entries()) {
    if (Entry.safeParse(prompt).data?.config !== undefined)
      remarks.add(source, ['prompts', at, 'config'], 'settings of one prompt among several have no counterpart');
  }
  return {};
}

/** The prompts of one entry; none when it cannot be translated. */
export function translatePrompt(path: SourcePath, value: unknown, reading: Reading): ImportedPrompt[] {
  const parsed = Entry.safeParse(typeof value === 'string' ? { raw: value } : value);
  const raw = parsed.data?.raw ?? parsed.data?.id;
  if (raw === undefined) return refuse(reading, path, 'the prompt has a form that is not known');
  const name = parsed.data?.label;
  const ids = [parsed.data?.label, parsed.data?.id, raw].flatMap((one) => one ?? []);
  if (raw.startsWith('exec:'))
    return refuse(reading, path, `prompt ${raw}: only text, JSON and YAML files are translated`);
  const [, elsewhere] = /^(langfuse|portkey|helicone|package):/.exec(raw) ?? [];
  if (elsewhere !== undefined) return refuse(reading, path, `prompt ${raw}: its text does not stand in these files`);
  const file = fileOf(raw);
  if (file === null) return split(raw, { name, ids, path, reading });
  const files = /[*?]/.test(file) ? reading.listBeside(file) : [file];
  if (files.length === 0) return refuse(reading, path, `prompt ${file}: no file fits`);
  return files.flatMap((one) => promptsOfFile(one, { name, ids, path, reading }));
}

function promptsOfFile(file: string, { name, ids, path, reading }: Place): ImportedPrompt[] {
  if (!/\.(txt|md|json|ya?ml|j2)$/.test(file))
    return refuse(reading, path, `prompt ${file}: only text, JSON and YAML files are translated`);
  const beside = reading.readBeside(file);
  if (!beside.ok) return refuse(reading, path, `prompt ${file}: ${beside.reason}`);
  const { text } = beside;
  if (/\.(json|ya?ml)$/.test(file) && text.includes('file://'))
    return refuse(reading, path, `prompt ${file}: a part of it stands in another file`);
  // What a file of YAML holds is sent as JSON.
  const read = /\.ya?ml$/.test(file) ? readSource(file, text) : undefined;
  const isData = read?.ok === true && typeof read.source.value === 'object' && read.source.value !== null;
  // A line of three dashes parts the prompts of a text file.
  const texts = file.endsWith('.txt')
    ? text.split(/^[ \t]*---[ \t]*\r?$/m).map((part) => part.trim())
    : [isData ? JSON.stringify(read.source.value) : text];
  const stem = name ?? file.replace(/^.*\//, '').replace(/\.\w+$/, '');
  return texts
    .filter((part) => part !== '')
    .flatMap((part, index) =>
      split(part, { name: texts.length === 1 ? stem : `${stem} ${index + 1}`, ids: [...ids, file], path, reading }),
    );
}

function fileOf(raw: string): string | null {
  if (raw.startsWith('file://')) return raw.slice('file://'.length).replace(/^\.\//, '');
  return /^[\w./*-]+\.(txt|md|json|ya?ml|j2|csv|[cm]?js|[cm]?ts|py|sh|bash|rb|pl)(?::\w+)?$/.test(raw) ? raw : null;
}

interface Place {
  name: string | undefined;
  ids: string[];
  path: SourcePath;
  reading: Reading;
}

function split(raw: string, { name = 'prompt', ids, path, reading }: Place): ImportedPrompt[] {
  if (holdsSecret(raw)) reading.remarks.note(reading.source, path, `prompt ${name}: ${copiedSecret}`);
  const shared = { name, ids, path, whole: raw };
  const chat = chatOf(raw);
  if (chat === null && isList(raw))
    return refuse(reading, path, `prompt ${name}: its messages hold more than texts and pictures`);
  if (chat === null && isChatToBe(raw))
    return [{ ...shared, isRendered: true, messages: [], instructions: '', input: raw }];
  if (chat === null) return [{ ...shared, messages: [], ...splitText(known(raw, reading.common)) }];
  const said = chat.filter((message) => !isSystem(message));
  const last = said.at(-1);
  const messages = said.slice(0, -1).flatMap(asSpoken);
  const instructions = known(
    chat
      .filter(isSystem)
      .map(({ content }) => content)
      .join('\n\n'),
    reading.common,
  );
  if (last === undefined || last.role !== 'user' || messages.length < said.length - 1)
    return refuse(reading, path, `prompt ${name}: only a chat that ends with a message of the user is translated`);
  if (said.slice(0, -1).some(({ pictures }) => pictures.length > 0))
    return refuse(reading, path, `prompt ${name}: only its last message may have pictures`);
  const { pictures } = last;
  // Instructions cannot differ from question to question.
  if (isTemplate(instructions)) {
    const message = `prompt ${name}: its system message needs values that differ from test to test`;
    return refuse(reading, path, message);
  }
  return [{ ...shared, instructions, messages, input: last.content, ...(pictures.length === 0 ? {} : { pictures }) }];
}

/** A list of objects is no text. */
function isList(raw: string): boolean {
  const read = /^\s*\[/.test(raw) ? readSource('prompt', raw) : undefined;
  return (
    read?.ok === true &&
    z
      .array(z.looseObject({ role: z.string() }))
      .min(1)
      .safeParse(read.source.value).success
  );
}

/** A template that begins like a list of messages. */
const isChatToBe = (raw: string): boolean => isTemplate(raw) && /^\s*(?:\{%[^%]*%\}\s*)*\[\s*(?:\{|\{%)/.test(raw);

/** The messages of a chat that was a template, parted; why there are none. */
export function renderChat(
  { whole }: Pick<ImportedPrompt, 'whole'>,
  values: Readonly<Record<string, unknown>>,
): { ok: true; instructions: string; said: ChatMessage[] } | { ok: false; reason: string } {
  const rendered = renderTemplate(whole, values);
  if (!rendered.ok) return rendered;
  const chat = chatOf(rendered.text);
  if (chat === null) return { ok: false, reason: 'with its values it is no chat' };
  const instructions = chat
    .filter(isSystem)
    .map(({ content }) => content)
    .join('\n\n');
  const said = chat.filter((message) => !isSystem(message));
  const isTextOnly = said.every(({ pictures }) => pictures.length === 0);
  return isTextOnly && said.at(-1)?.role === 'user' && said.flatMap(asSpoken).length === said.length
    ? { ok: true, instructions, said }
    : { ok: false, reason: 'it is more than texts that end with a message of the user' };
}

/** With the system message that its first test makes: an agent has one, whatever it is asked. */
export function settledPrompt(
  prompt: ImportedPrompt,
  values: Readonly<Record<string, unknown>> | undefined,
): ImportedPrompt {
  if (prompt.isRendered !== true || values === undefined) return prompt;
  const chat = renderChat(prompt, { ...values, _conversation: [] });
  return chat.ok ? { ...prompt, instructions: chat.instructions } : prompt;
}

const isSystem = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer';

const asSpoken = ({ role, content }: ChatMessage): ImportedPrompt['messages'] =>
  role === 'user' || role === 'assistant' ? [{ role, content }] : [];

/** With the values that are the same for all tests, where the rest of the text needs no others. */
function known(text: string, values: Readonly<Record<string, unknown>>): string {
  return text.replaceAll(/\{\{-?\s*([A-Za-z_]\w*)\s*-?\}\}/g, (whole, name: string) => {
    if (!Object.hasOwn(values, name)) return whole;
    const rendered = renderTemplate(whole, values);
    return rendered.ok ? rendered.text : whole;
  });
}

const Part = z.union([
  z.looseObject({ type: z.enum(['text', 'input_text']), text: z.string() }).transform(({ text }) => ({ text })),
  z
    .looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string() }) })
    .transform(({ image_url: { url } }) => ({ picture: pictureAt(url) })),
  z
    .looseObject({
      type: z.literal('image'),
      source: z.looseObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
    })
    .transform(({ source: { media_type: mediaType, data: base64 } }) => ({ picture: { mediaType, base64 } })),
]);

function pictureAt(url: string): Picture {
  const [, mediaType, base64] = /^data:([^;,]+);base64,([\s\S]+)$/.exec(url) ?? [];
  return mediaType === undefined || base64 === undefined ? { url } : { mediaType, base64 };
}

const ChatMessage = z
  .looseObject({ role: z.string(), content: z.union([z.string().transform((text) => [{ text }]), z.array(Part)]) })
  .transform(({ role, content }) => ({
    role,
    content: content.flatMap((part) => ('text' in part ? part.text : [])).join('\n'),
    pictures: content.flatMap((part) => ('picture' in part ? part.picture : [])),
  }));
type ChatMessage = z.infer<typeof ChatMessage>;
const Chat = z.array(ChatMessage).min(1);

function chatOf(raw: string): z.infer<typeof Chat> | null {
  if (!/^\s*[[-]/.test(raw)) return null;
  const read = readSource('prompt', raw);
  return read.ok ? (Chat.safeParse(read.source.value).data ?? null) : null;
}

/** What stands above the first line with a value is the same for every question: the instructions of the agent. */
function splitText(raw: string): Pick<ImportedPrompt, 'instructions' | 'input' | 'isSplit'> {
  const lines = raw.trim().split('\n');
  const first = lines.findIndex(isTemplate);
  if (first === -1) return { instructions: '', input: raw.trim() };
  const instructions = lines.slice(0, first).join('\n').trim();
  return { instructions, input: lines.slice(first).join('\n'), ...(instructions === '' ? {} : { isSplit: true }) };
}

function refuse({ source, remarks }: Reading, path: SourcePath, message: string): ImportedPrompt[] {
  remarks.add(source, path, message);
  return [];
}

/** Told once for each prompt that is sent otherwise than promptfoo sends it. */
export function tellSplit(
  prompts: readonly ImportedPrompt[],
  { source, remarks }: { source: Source; remarks: Remarks },
): void {
  for (const { name, isSplit, path } of prompts)
    if (isSplit)
      remarks.note(
        source,
        path,
        `prompt ${name}: what stands above its first line with a value is sent as instructions`,
      );
}
