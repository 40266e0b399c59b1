import type { OutputShape } from './imported-provider.ts';
import { type KnownValues, lostIn } from './lost-values.ts';
import { type Rendered, renderTemplate } from './render-template.ts';
import { type ReadBeside, readSource } from './source.ts';

/** The test in which an assertion stands. */
export interface Within extends KnownValues {
  readBeside: ReadBeside;
  /** What an answer is to assertions where it is no text. */
  shape: OutputShape | null;
  /** What the test makes of the answer first; undefined: nothing. */
  transform: unknown;
}

type Filled = { ok: true; value: unknown } | { ok: false; reason: string };

/** What an assertion expects: a text, or each text of a list, with the values of its test; or what stands in a file. */
export function fillExpected(value: unknown, within: Within): Filled {
  if (!Array.isArray(value)) return typeof value === 'string' ? fillText(value, within) : { ok: true, value };
  const items = value.map(
    (item): Filled => (typeof item === 'string' ? fillText(item, within) : { ok: true, value: item }),
  );
  const failed = items.find((item) => !item.ok);
  return failed ?? { ok: true, value: items.map((item) => (item.ok ? item.value : null)) };
}

function fillText(text: string, within: Within): Filled {
  if (text.startsWith('file://')) return readExpected(text.slice('file://'.length), within);
  const filled = fillAsserted(text, within);
  return filled.ok ? { ok: true, value: filled.text } : filled;
}

/** A text of an assertion with the values of its test; none where it names one that is left out. */
export function fillAsserted(text: string, { values, lost }: KnownValues): Rendered {
  const filled = renderTemplate(text, values);
  // A value may name one that is left out, too.
  const reason = filled.ok ? lostIn(lost, [text, filled.text]) : undefined;
  return reason === undefined ? filled : { ok: false, reason };
}

/** Nothing is filled into a file: it counts as it stands. */
function readExpected(file: string, { readBeside }: Within): Filled {
  if (/\.(?:py|rb|[cm]?[jt]s)(?::\w+)?$/.test(file))
    return { ok: false, reason: `its value is made by a program, ${file}` };
  const beside = readBeside(file);
  if (!beside.ok) return { ok: false, reason: `${file}: ${beside.reason}` };
  if (!/\.(?:json|ya?ml)$/.test(file)) return { ok: true, value: beside.text.trim() };
  const read = readSource(file, beside.text);
  return read.ok ? { ok: true, value: read.source.value } : { ok: false, reason: read.message };
}

/** What is said of a value that is none. */
export const noText = 'its value is no text';
export const noTexts = 'its value is no list of texts';

export function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** The texts of a list, or of a text with commas; null where it is none, or one of them is no text. */
export function textsOf(value: unknown): string[] | null {
  const list: unknown[] | undefined = typeof value === 'string' ? listIn(value) : Array.isArray(value) ? value : [];
  const found = list?.flatMap((one) => textOf(one) ?? []) ?? [];
  return found.length === 0 || found.length < (list ?? []).length ? null : found;
}

/** The texts between the commas of one; those in quotes may hold commas. Undefined where a quote is left open. */
function listIn(text: string): string[] | undefined {
  const found: string[] = [];
  for (let rest = text.replace(/^[\s,]+/, ''); rest !== ''; rest = rest.replace(/^[\s,]+/, '')) {
    const [whole, quoted] = /^"((?:[^"\\]|\\[\s\S]|"")*)"\s*(?=,|$)/.exec(rest) ?? [];
    if (whole === undefined && rest.startsWith('"')) return undefined;
    const plain = rest.split(',', 1)[0] ?? '';
    found.push(quoted === undefined ? plain.trim() : quoted.replaceAll(/\\(["\\])|"(")/g, '$1$2'));
    rest = rest.slice((whole ?? plain).length);
  }
  return found;
}
