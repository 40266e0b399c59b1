import type { JsonValue } from '@proofmark/contracts/canonical-json';
import type { MockEntry } from '@proofmark/contracts/mocks';
import type { Found } from './mock-path.ts';
import { stepInto } from './mock-path.ts';
import type { TemplateRoots } from './mock-template.ts';
import { fillTemplate } from './mock-template.ts';

type Patch = MockEntry['set'][number];

/** The state after the entry's patches (JSON Patch add, replace, remove); the given state is never changed. */
export function patchState(state: JsonValue, patches: readonly Patch[], roots: TemplateRoots): Found {
  const next = structuredClone(state);
  for (const patch of patches) {
    const problem = apply(next, patch, roots);
    if (problem !== undefined) return { ok: false, missing: problem };
  }
  return { ok: true, value: next };
}

function apply(state: JsonValue, patch: Patch, roots: TemplateRoots): string | undefined {
  const keys: (string | number)[] = [];
  for (const part of patch.path) {
    const key =
      typeof part === 'object' ? fillTemplate({ $from: part.$from }, roots) : { ok: true as const, value: part };
    if (!key.ok) return key.missing;
    keys.push(typeof key.value === 'number' ? key.value : String(key.value));
  }
  const value = fillTemplate(patch.value ?? null, roots);
  if (!value.ok) return value.missing;
  const last = keys.pop();
  let parent: JsonValue | undefined = state;
  for (const key of keys) parent = parent === undefined ? undefined : stepInto(parent, key);
  const where = [...keys, last].join('.');
  if (last === undefined || typeof parent !== 'object' || parent === null) return where;
  return change(parent, last, patch.op, value.value) ? undefined : where;
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
  const index = key === '-' ? list.length : Number(key);
  if (!Number.isInteger(index) || index < 0 || index > list.length) return false;
  list.splice(index, op === 'add' ? 0 : 1, ...(op === 'remove' ? [] : [value]));
  return true;
}
