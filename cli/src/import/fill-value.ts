import type { OutputShape } from './imported-provider.ts';
import { renderTemplate } from './render-template.ts';
import type { ReadBeside } from './source.ts';

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

/** A value with the values of its test, and with the files that it names. */
export function fillDeep(value: unknown, within: Within): Filled {
  if (typeof value === 'string') {
    if (value.startsWith('file://')) return fillFile(value.slice('file://'.length), within);
    const filled = renderTemplate(value, within.values);
    return filled.ok ? { ok: true, value: filled.text } : filled;
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => fillDeep(item, within));
    const failed = items.find((item) => !item.ok);
    return failed ?? { ok: true, value: items.map((item) => (item.ok ? item.value : null)) };
  }
  if (typeof value !== 'object' || value === null) return { ok: true, value };
  const entries = Object.entries(value).map(([key, item]) => [key, fillDeep(item, within)] as const);
  const failed = entries.find(([, item]) => !item.ok)?.[1];
  return (
    failed ?? { ok: true, value: Object.fromEntries(entries.map(([key, item]) => [key, item.ok ? item.value : null])) }
  );
}

function fillFile(file: string, { values, readBeside }: Within): Filled {
  if (/\.(?:py|[cm]?[jt]s)(?::\w+)?$/.test(file))
    return { ok: false, reason: `its value is made by a program, ${file}` };
  const beside = readBeside(file);
  if (!beside.ok) return { ok: false, reason: `${file}: ${beside.reason}` };
  if (file.endsWith('.json')) {
    try {
      return { ok: true, value: JSON.parse(beside.text) };
    } catch {
      return { ok: false, reason: `${file}: it is not JSON` };
    }
  }
  const filled = renderTemplate(beside.text, values);
  return filled.ok ? { ok: true, value: filled.text } : filled;
}
