export type ResponsePart = { ok: true; text: string } | { ok: false; reason: string };

/**
 * The part of a JSON response at a path such as `items[0].score`: a text as it is, anything else as JSON. Refused when
 * the response is no JSON or has nothing there.
 */
export function readResponsePath(response: string, path: string): ResponsePart {
  const steps = pathSteps(path);
  if (steps === undefined) return { ok: false, reason: `response_path "${path}" is not a path` };
  let value: unknown;
  try {
    value = JSON.parse(response);
  } catch {
    return { ok: false, reason: 'the response is not JSON' };
  }
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) {
      return { ok: false, reason: `the response has nothing at ${path}` };
    }
    value = Object.getOwnPropertyDescriptor(value, step)?.value;
  }
  return { ok: true, text: typeof value === 'string' ? value : JSON.stringify(value) };
}

/** `items[0].score` and `["odd key"].x` as keys; a leading `$` is left out. Undefined for anything else. */
export function pathSteps(path: string): string[] | undefined {
  const steps: string[] = [];
  let rest = path.trim().replace(/^\$(?=[.[]|$)/, '');
  while (rest !== '') {
    const match = /^\[(\d+)\]|^\[("(?:[^"\\]|\\.)*")\]|^\.?([^.[\]"]+)/.exec(rest);
    if (!match) return undefined;
    const [whole, index, quoted, name] = match;
    const isFirst = steps.length === 0;
    if (name !== undefined && !isFirst && !whole.startsWith('.')) return undefined;
    const key = quoted === undefined ? (index ?? name) : unquoted(quoted);
    if (key === undefined) return undefined;
    steps.push(key);
    rest = rest.slice(whole.length);
  }
  return steps;
}

function unquoted(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
