import { z } from 'zod';
import { isTemplate, renderTemplate } from './render-template.ts';
import { type ListBeside, type ReadBeside, type Remarks, readSource, type Source, type SourcePath } from './source.ts';

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
  // A line of three dashes parts the prompts of a text file.
  const texts = /\.(txt|md)$/.test(file) ? text.split(/^---\s*$/m).map((part) => part.trim()) : [text];
  const stem = name ?? file.replace(/^.*\//, '').replace(/\.\w+$/, '');
  return texts
    .filter((part) => part !== '')
    .flatMap((part, index) =>
      split(part, { name: texts.length === 1 ? stem : `${stem} ${index + 1}`, ids: [...ids, file], path, reading }),
    );
}

function fileOf(raw: string): string | null {
  if (raw.startsWith('file://')) return raw.slice('file://'.length).replace(/^\.\//, '');
  return /^[\w./*-]+\.(txt|md|json|ya?ml|j2|csv|js|ts|py)(?::\w+)?$/.test(raw) ? raw : null;
}

interface Place {
  name: string | undefined;
  ids: string[];
  path: SourcePath;
  reading: Reading;
}

function split(raw: string, { name = 'prompt', ids, path, reading }: Place): ImportedPrompt[] {
  const shared = { name, ids, path, whole: raw };
  const chat = chatOf(raw);
  if (chat === null) return [{ ...shared, messages: [], ...splitText(known(raw, reading.common)) }];
  const isSystem = ({ role }: ChatMessage) => role === 'system' || role === 'developer';
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
  // Instructions cannot differ from question to question.
  if (isTemplate(instructions)) {
    const message = `prompt ${name}: its system message needs values that differ from test to test`;
    return refuse(reading, path, message);
  }
  return [{ ...shared, instructions, messages, input: last.content }];
}

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

const Part = z.looseObject({ type: z.literal('text'), text: z.string() });
const ChatMessage = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.tuple([Part]).transform(([{ text }]) => text)]),
});
type ChatMessage = z.infer<typeof ChatMessage>;
const Chat = z.array(ChatMessage).min(1);

function chatOf(raw: string): z.infer<typeof Chat> | null {
  if (!/^\s*[[-]/.test(raw)) return null;
  const read = readSource('prompt', raw);
  return read.ok ? (Chat.safeParse(read.source.value).data ?? null) : null;
}

/** What stands above the first line with a value is the same for every question: the instructions of the agent. */
function splitText(raw: string): Pick<ImportedPrompt, 'instructions' | 'input'> {
  const lines = raw.trim().split('\n');
  const first = lines.findIndex(isTemplate);
  if (first === -1) return { instructions: '', input: raw.trim() };
  return { instructions: lines.slice(0, first).join('\n').trim(), input: lines.slice(first).join('\n') };
}

function refuse({ source, remarks }: Reading, path: SourcePath, message: string): ImportedPrompt[] {
  remarks.add(source, path, message);
  return [];
}
