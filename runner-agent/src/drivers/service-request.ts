import type { JsonValue } from '@proofmark/contracts/canonical-json';
import { fitsHeader } from '@proofmark/contracts/service';
import type { Service } from '@proofmark/contracts/service-presets';
import type { CallResult } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import type { FilledHeader, ServiceCall } from './agent-reach.ts';
import { fillTemplate, readPath, type TemplateRoots } from './fill-template.ts';

/** Where a request goes and what it says. */
interface Wanted {
  /** A path behind the address of the service, or an address of the same origin; places in braces are filled. */
  place: string;
  /** Undefined: there is no body. */
  body: JsonValue | undefined;
  method: ServiceCall['method'];
  isTurn: boolean;
}

type Template = Parameters<typeof fillTemplate>[0];

/** One request to the service with all its templates filled; what cannot be filled or may not be sent is said by its key. */
export function fillRequest(service: Service, wanted: Wanted, roots: TemplateRoots): CallResult<ServiceCall> {
  const url = fillUrl(service, wanted, roots);
  if (!url.ok) return url;
  const headers = fillHeaders(service.headers ?? {}, roots);
  if (!headers.ok) return headers;
  const body = wanted.body === undefined ? null : writeBody(service, wanted.body);
  if (body && 'failure' in body) return body;
  const accept = wanted.isTurn && service.stream ? acceptOf[service.stream.format] : 'application/json';
  const { method, isTurn } = wanted;
  return { ok: true, value: { service, url: url.value, method, headers: headers.value, body, accept, isTurn } };
}

const acceptOf = {
  'ui-message': 'text/event-stream',
  openai: 'text/event-stream',
  sse: 'text/event-stream',
  ndjson: 'application/x-ndjson',
  text: 'text/plain',
} as const;

const failed = (message: string): { ok: false; failure: ReturnType<typeof finalFailure> } => ({
  ok: false,
  failure: finalFailure('agent', message),
});

/** The filled body; keys of the driver's own `body` stand beside those of a mapping. */
export function fillBody(template: JsonValue, { body }: Service, roots: TemplateRoots): CallResult<JsonValue> {
  const filled = fillTemplate(template, roots);
  if (!filled.ok) return failed(`driver.mapping.request: there is nothing at ${filled.missing}`);
  if (body === undefined || typeof filled.value !== 'object' || Array.isArray(filled.value)) return filled;
  const own = fillTemplate(body as JsonValue, roots); // read from a file of JSON or YAML
  if (!own.ok) return failed(`driver.body: there is nothing at ${own.missing}`);
  return { ok: true, value: { ...filled.value, ...(own.value as Record<string, JsonValue>) } }; // a mapping stays one
}

function writeBody({ body_format: format }: Service, body: JsonValue): ServiceCall['body'] | ReturnType<typeof failed> {
  if (format !== 'form') return { type: 'application/json', text: JSON.stringify(body) };
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return failed('driver.mapping.request: a form is a mapping of fields');
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) {
    if (value === null) continue;
    fields.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return { type: 'application/x-www-form-urlencoded', text: fields.toString() };
}

/** The headers with their templates filled; secrets stay names. */
export function fillHeaders(
  headers: NonNullable<Service['headers']>,
  roots: TemplateRoots,
): CallResult<[string, FilledHeader][]> {
  const filled: [string, FilledHeader][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string' && value.from_env !== undefined) {
      filled.push([name, { ...value, from_env: value.from_env }]);
      continue;
    }
    const text = scalarOf(value, roots);
    if (!text.ok) return failed(`headers.${name}: ${text.why}`);
    // What is not there yet, as a session before the first answer, is left out.
    if (text.value === null) continue;
    if (!fitsHeader(text.value))
      return failed(`headers.${name}: the value holds a line break or another character that a header cannot carry`);
    filled.push([name, text.value]);
  }
  return { ok: true, value: filled };
}

type Scalar = { ok: true; value: string | null } | { ok: false; why: string };

function scalarOf(template: string | number | boolean | object, roots: TemplateRoots): Scalar {
  const filled = fillTemplate(template as Template, roots); // text, or a mapping of texts
  if (!filled.ok) return { ok: false, why: `there is nothing at ${filled.missing}` };
  const { value } = filled;
  if (value === null) return { ok: true, value: null };
  return typeof value === 'object' ? { ok: false, why: 'the value is no text' } : { ok: true, value: String(value) };
}

const slot = /\{([^{}]+)\}/g;

/** The address with its places filled. Whatever a service says fills one segment and leads to no other origin. */
function fillUrl({ url: base, query }: Service, { place }: Wanted, roots: TemplateRoots): CallResult<string> {
  let problem: string | undefined;
  const fill = (text: string): string =>
    text.replaceAll(slot, (_, path: string) => {
      const found = readPath(path, roots);
      const value = found.ok && found.value !== null && typeof found.value !== 'object' ? String(found.value) : '';
      if (value === '' || value === '.' || value === '..') problem ??= `there is nothing to put at {${path}}`;
      return encodeURIComponent(value);
    });
  const root = fill(base);
  const behind = fill(place);
  if (problem !== undefined) return failed(`driver.url: ${problem}`);
  const { origin } = new URL(root);
  const whole = /^https?:\/\//.test(behind) ? behind : joined(root, behind);
  if (!URL.canParse(whole) || new URL(whole).origin !== origin)
    return failed(`driver: ${whole} does not belong to ${origin}`);
  const url = new URL(whole);
  for (const [name, value] of Object.entries(query ?? {})) {
    const text = scalarOf(value, roots);
    if (!text.ok) return failed(`driver.query.${name}: ${text.why}`);
    if (text.value !== null) url.searchParams.set(name, text.value);
  }
  return { ok: true, value: url.href };
}

function joined(root: string, behind: string): string {
  if (behind === '') return root;
  const url = new URL(root);
  const [path = '', search = ''] = behind.split('?', 2);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${path.replace(/^\//, '')}`;
  if (search !== '') url.search = search;
  return url.href;
}
