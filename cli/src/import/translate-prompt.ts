import { z } from 'zod';
import {
  fillKnown,
  isTemplate,
  type ReadBeside,
  type Remarks,
  readSource,
  type Source,
  type SourcePath,
} from './source.ts';

/** A prompt as an agent has it: what never changes, and what each question is made of. */
export interface ImportedPrompt {
  name: string;
  instructions: string;
  input: string;
  /** Where it stands in the configuration. */
  path: SourcePath;
}

interface Reading {
  source: Source;
  readBeside: ReadBeside;
  /** The values that all tests have in common. */
  common: Readonly<Record<string, unknown>>;
  remarks: Remarks;
}

const Entry = z.looseObject({ id: z.string().optional(), label: z.string().optional(), raw: z.string().optional() });

/** The prompts of one entry; none when it cannot be translated. */
export function translatePrompt(path: SourcePath, value: unknown, reading: Reading): ImportedPrompt[] {
  const parsed = Entry.safeParse(typeof value === 'string' ? { raw: value } : value);
  const raw = parsed.data?.raw ?? parsed.data?.id;
  if (raw === undefined) return refuse(reading, path, 'the prompt has a form that is not known');
  const name = parsed.data?.label;
  const file = fileOf(raw);
  if (file === null) return split(raw, { name, path, reading });
  if (!/\.(txt|md|json|ya?ml)$/.test(file) || file.includes('*')) {
    return refuse(reading, path, `prompt ${file}: only text, JSON and YAML files are translated`);
  }
  const beside = reading.readBeside(file);
  if (!beside.ok) return refuse(reading, path, `prompt ${file}: ${beside.reason}`);
  const { text } = beside;
  // A line of three dashes parts the prompts of a text file.
  const texts = /\.(txt|md)$/.test(file) ? text.split(/^---\s*$/m).map((part) => part.trim()) : [text];
  const stem = name ?? file.replace(/^.*\//, '').replace(/\.\w+$/, '');
  return texts
    .filter((part) => part !== '')
    .flatMap((part, index) => split(part, { name: texts.length === 1 ? stem : `${stem} ${index + 1}`, path, reading }));
}

function fileOf(raw: string): string | null {
  if (raw.startsWith('file://')) return raw.slice('file://'.length);
  return /^[\w./-]+\.(txt|md|json|ya?ml|csv|js|ts|py)$/.test(raw) ? raw : null;
}

interface Place {
  name: string | undefined;
  path: SourcePath;
  reading: Reading;
}

function split(raw: string, { name = 'prompt', path, reading }: Place): ImportedPrompt[] {
  const chat = chatOf(raw);
  if (chat === null) return [{ name, path, ...splitText(fillKnown(raw, reading.common)) }];
  const isSystem = ({ role }: ChatMessage) => role === 'system' || role === 'developer';
  const [user, ...more] = chat.filter((message) => !isSystem(message));
  if (user?.role !== 'user' || more.length > 0) {
    return refuse(reading, path, `prompt ${name}: only a chat with one message of the user is translated`);
  }
  const instructions = fillKnown(
    chat
      .filter(isSystem)
      .map(({ content }) => content)
      .join('\n\n'),
    reading.common,
  );
  // Instructions cannot differ from question to question.
  if (isTemplate(instructions)) {
    const message = `prompt ${name}: its system message needs values that differ from test to test, or more than plain values`;
    return refuse(reading, path, message);
  }
  return [{ name, path, instructions, input: user.content }];
}

const ChatMessage = z.looseObject({ role: z.string(), content: z.string() });
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
