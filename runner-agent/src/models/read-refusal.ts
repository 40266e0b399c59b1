import { z } from 'zod';

/** Why a server refuses a request, in whatever form it says so. */
export interface ModelRefusal {
  status: number;
  /** All that the body says, without the parts of the request that it repeats. */
  text: string;
  code: string | null;
  /** The fields of the request that the body names in a place made for it. */
  fields: readonly string[];
}

const words = z.union([z.string(), z.number()]).transform(String).nullish().catch(null);
const Envelope = z.looseObject({ code: words, type: words, param: words });

/** What some servers send back of the request, or of the answer that they threw away: its words are nobody's reason. */
const echoed: ReadonlySet<string> = new Set(['input', 'failed_generation', 'ctx', 'url']);
const deepest = 6;

/**
 * The body of an error status in one form. OpenAI has `{error: {message, param, code}}`, Gemini a list of that, xAI and
 * LM Studio a text as `error`, Mistral `{message: {detail: [{type, loc, msg}]}}`, FastAPI `{detail: [{loc, msg}]}`.
 */
export function readRefusal(status: number, body: unknown): ModelRefusal {
  const outer: unknown = Array.isArray(body) ? body[0] : body;
  const inner = typeof outer === 'object' && outer !== null && 'error' in outer ? outer.error : outer;
  const said = Envelope.safeParse(inner).data ?? Envelope.safeParse(outer).data;
  const outside = Envelope.safeParse(outer).data;
  const texts: string[] = [];
  const fields: string[] = said?.param ? [said.param] : [];
  collect(outer, { texts, fields }, deepest);
  return {
    status,
    text: [...new Set(texts)].join('; '),
    // Servers that imitate the interface often leave the code out and say it in the type.
    code: said?.code ?? outside?.code ?? said?.type ?? outside?.type ?? null,
    fields,
  };
}

interface Found {
  texts: string[];
  fields: string[];
}

/** Every reason in the body, and every field that a `loc` names, behind `body`. */
function collect(value: unknown, found: Found, depth: number): void {
  if (depth === 0 || value === null || value === undefined) return;
  if (typeof value === 'string') found.texts.push(...(value.trim() === '' ? [] : [value]));
  else if (Array.isArray(value)) for (const part of value.slice(0, mostParts)) collect(part, found, depth - 1);
  else if (typeof value === 'object') for (const entry of Object.entries(value)) collectKey(entry, found, depth);
}

const mostParts = 20;
const reasons: ReadonlySet<string> = new Set(['error', 'message', 'msg', 'detail', 'details', 'description', 'reason']);

function collectKey([key, part]: [string, unknown], found: Found, depth: number): void {
  if (echoed.has(key)) return;
  if (key === 'loc' && Array.isArray(part)) found.fields.push(part.filter((one) => one !== 'body').join('.'));
  else if (reasons.has(key) || typeof part === 'object') collect(part, found, depth - 1);
}
