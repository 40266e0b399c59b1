import type { JsonValue } from '@proofmark/contracts/canonical-json';
import type { Found } from './mock-path.ts';
import { readPath } from './mock-path.ts';

/** What paths begin with: `args`, `state`, `previous`, `variables` and `call` for mocks. */
export type TemplateRoots = Readonly<Record<string, JsonValue>>;

/**
 * The value with every `{$from: path}` replaced by what is there, type kept, and every `{$concat: [...]}` by text.
 * A path that leads nowhere is the mock's fault, so it is reported and never becomes null.
 */
export function fillTemplate(template: JsonValue, roots: TemplateRoots): Found {
  if (Array.isArray(template)) return fillList(template, roots);
  if (typeof template !== 'object' || template === null) return { ok: true, value: template };
  const keys = Object.keys(template);
  const { $from, $concat } = template;
  if (keys.length === 1 && typeof $from === 'string') return readPath($from, roots);
  if (keys.length === 1 && Array.isArray($concat)) return concat($concat, roots);
  const filled = fillList(Object.values(template), roots);
  if (!filled.ok || !Array.isArray(filled.value)) return filled;
  const values = filled.value;
  return { ok: true, value: Object.fromEntries(keys.map((key, index) => [key, values[index] ?? null])) };
}

function fillList(parts: readonly JsonValue[], roots: TemplateRoots): Found {
  const values: JsonValue[] = [];
  for (const part of parts) {
    const filled = fillTemplate(part, roots);
    if (!filled.ok) return filled;
    values.push(filled.value);
  }
  return { ok: true, value: values };
}

function concat(parts: readonly JsonValue[], roots: TemplateRoots): Found {
  const filled = fillList(parts, roots);
  if (!filled.ok || !Array.isArray(filled.value)) return filled;
  return {
    ok: true,
    value: filled.value.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(''),
  };
}
