import { z } from 'zod';
import { type BridgeFile, bridgeFiles, copyBeside } from './bridge-files.ts';
import { fillExpected, noText, noTexts, textOf, textsOf, type Within } from './fill-value.ts';
import type { ImportedCheck } from './imported-check.ts';
import type { OutputShape } from './imported-provider.ts';
import { lostInCode } from './lost-values.ts';

/** What an assertion looks at, where it is not the answer itself: the rest of what the bridge is told, and its files. */
export interface Seen {
  config: { shape?: OutputShape; transforms?: string[] };
  files: BridgeFile[];
}

/** The transforms of the test and of the assertion, one after the other; why one of them cannot run. */
export function seenBy(own: unknown, within: Within): Seen | string {
  const { shape, transform } = within;
  const seen: Seen = { config: shape === null ? {} : { shape }, files: [] };
  for (const one of [transform, own]) {
    if (one === undefined || one === null) continue;
    const read = readTransform(one, within);
    if (typeof read === 'string') return read;
    seen.files.push(...read.files);
    seen.config.transforms = [...(seen.config.transforms ?? []), read.text];
  }
  return seen;
}

const scriptFile = /^file:\/\/(?:\.\/)?(.+?\.[cm]?[jt]s)(?::(\w+))?$/;

function readTransform(value: unknown, within: Within): { text: string; files: BridgeFile[] } | string {
  if (typeof value !== 'string') return 'its transform is no text';
  const [, file, name] = scriptFile.exec(value.trim()) ?? [];
  if (file === undefined && value.startsWith('file://')) return 'its transform is no JavaScript';
  const copied = file === undefined ? undefined : copyBeside(file, within.readBeside);
  if (copied?.ok === false) return `its transform ${file}: ${copied.reason}`;
  const lost = lostInCode(within, copied?.file.text ?? value);
  if (lost !== undefined) return `its transform: ${lost}`;
  if (copied === undefined) return { text: value, files: [] };
  return { text: `file://${copied.file.path}${name === undefined ? '' : `:${name}`}`, files: [copied.file] };
}

/** Whether an assertion is shown something else than the text of the answer. */
export const isOtherwise = ({ config: { shape, transforms } }: Seen): boolean =>
  shape !== undefined || transforms !== undefined;

/** What the bridge judges by data: where an answer is no text any more, none of our checks would see what promptfoo shows. */
const bridged = new Set([
  ...['equals', 'contains', 'icontains', 'contains-all', 'contains-any', 'icontains-all', 'icontains-any'],
  ...['starts-with', 'ends-with', 'regex', 'is-json', 'contains-json'],
]);
/** What never looks at the answer, or looks at its calls itself. */
const blind = /^(?:not-)?(?:latency|cost|is-valid-.*|perplexity.*)$/;

/** A schema in the few words that the bridge knows. */
const PlainSchema: z.ZodType = z.lazy(() =>
  z.strictObject({
    type: z.string().optional(),
    description: z.string().optional(),
    enum: z.array(z.unknown()).optional(),
    required: z.array(z.string()).optional(),
    properties: z.record(z.string(), PlainSchema).optional(),
    items: PlainSchema.optional(),
  }),
);
const isPlainSchema = (schema: unknown): boolean => PlainSchema.safeParse(schema).success;

/** A JSON that was asked for is a text as well; a call is none. */
const isCalled = ({ shape }: Seen['config']): boolean => shape !== undefined && shape !== 'json';

/** A check of what a transform, or a call of a tool, has made of the answer; null where it is the answer itself. */
export function translateSeen(
  { type, raw }: { type: string; raw: unknown },
  within: Within,
  { config, files }: Seen,
): { check: ImportedCheck; files: BridgeFile[] } | string | null {
  const isChanged = config.transforms !== undefined;
  const kind = type.replace(/^not-/, '');
  if ((!isChanged && !isCalled(config)) || blind.test(type)) return null;
  if (!bridged.has(kind) || (kind.endsWith('-json') && !isPlainSchema(raw ?? {})))
    return isChanged ? 'what it looks at is made by a transform, and only texts are compared behind one' : null;
  const filled = fillExpected(raw, within);
  if (!filled.ok) return filled.reason;
  const expected = expectedBy(kind, filled.value);
  if (typeof expected === 'string') return expected;
  const assertion = { type: kind, ...expected };
  const { javascriptCheck } = bridgeFiles;
  const check = { type: 'code', file: javascriptCheck.path, config: { ...config, assertion, vars: within.values } };
  return { check: kind === type ? check : { type: 'not', check }, files: [javascriptCheck, ...files] };
}

/** What the bridge compares with: texts are split here, where quotes and commas at the ends are known. */
function expectedBy(kind: string, value: unknown): { value?: unknown } | string {
  if (/-(?:all|any)$/.test(kind)) {
    const texts = textsOf(value);
    return texts === null ? noTexts : { value: texts };
  }
  if (kind === 'equals' || kind.endsWith('-json')) return value === undefined ? {} : { value };
  return textOf(value) === null ? noText : { value };
}
