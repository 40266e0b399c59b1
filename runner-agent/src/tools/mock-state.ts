import type { JsonValue } from '@proofmark/contracts/canonical-json';
import type { MockEntry } from '@proofmark/contracts/mocks';
import type { Found } from './mock-path.ts';
import { stepInto } from './mock-path.ts';
import type { TemplateRoots } from './mock-template.ts';
import { fillTemplate } from './mock-template.ts';

type Patch = MockEntry['set'][number];

/** The state after the entry's patches (JSON Patch add, replace, remove); the given state is never changed. */
export function patchState(state: JsonValue, patches: readonly Patch[], roots: TemplateRoots): Found {
  if (patches.length === 0) return { ok: true, value: state };
  const next = structuredClone(state);
  for (const patch of patches) {
    const problem = apply(next, patch, roots);
    if (problem !== undefined) return { ok: false, missing: problem };
  }
  return { ok: true, value: next };
}

/** Changes the state in place; what is missing when it could not. */
function apply(state: JsonValue, patch: Patch, roots: TemplateRoots): string | undefined {
  if (patch.op !== 'remove' && patch.value === undefined) return `the value to ${patch.op}`;
  const keys = fillTemplate(patch.path.map(asTemplate), roots);
  if (!keys.ok) return keys.missing;
  const value = fillTemplate(patch.value ?? null, roots);
  if (!value.ok) return value.missing;
  const path = Array.isArray(keys.value) ? keys.value.map(asKey) : [];
  const parent = path.slice(0, -1).reduce<JsonValue | undefined>((at, key) => at && stepInto(at, key), state);
  const last = path.at(-1);
  const isChanged =
    last !== undefined && typeof parent === 'object' && parent !== null && change(parent, last, patch.op, value.value);
  return isChanged ? undefined : path.join('.');
}

function asTemplate(part: Patch['path'][number]): JsonValue {
  return typeof part === 'object' ? { $from: part.$from } : part;
}

function asKey(value: JsonValue): string | number {
  return typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value);
}

/** False when there is nothing at the place that `replace` or `remove` means. */
function change(
  parent: JsonValue[] | { [key: string]: JsonValue },
  key: string | number,
  op: Patch['op'],
  value: JsonValue,
): boolean {
  if (op !== 'add' && stepInto(parent, key) === undefined) return false;
  if (Array.isArray(parent)) return changeList(parent, key, op, value);
  if (op === 'remove') delete parent[key];
  // Defining keeps `__proto__` an ordinary key.
  else Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true });
  return true;
}

function changeList(list: JsonValue[], key: string | number, op: Patch['op'], value: JsonValue): boolean {
  const index = key === '-' ? list.length : positionOf(key);
  if (index > list.length) return false;
  list.splice(index, op === 'add' ? 0 : 1, ...(op === 'remove' ? [] : [value]));
  return true;
}

/** Beyond every list when the key is no position: `Number('')` would be the first one. */
function positionOf(key: string | number): number {
  return /^\d+$/.test(String(key)) ? Number(key) : Number.POSITIVE_INFINITY;
}
