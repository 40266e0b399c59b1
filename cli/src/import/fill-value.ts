import type { OutputShape } from './imported-provider.ts';
import { renderTemplate } from './render-template.ts';
import { type ReadBeside, readSource } from './source.ts';

/** The test in which an assertion stands. */
export interface Within {
  values: Readonly<Record<string, unknown>>;
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
  const filled = renderTemplate(text, within.values);
  return filled.ok ? { ok: true, value: filled.text } : filled;
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
