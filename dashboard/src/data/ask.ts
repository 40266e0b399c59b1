import type { TypedDocument } from '../operations/documents.ts';
import { patientFetch } from './patient-fetch.ts';
import { sessionEnded } from './session.ts';

/** Why there is no answer, in words for people. */
interface Refused {
  ok: false;
  message: string;
}
export type Reply<Answer> = { ok: true; answer: Answer } | Refused;

/** Asks the coordinator. Every failure is a value with words for people. */
export async function ask<Answer, Variables>(
  operation: TypedDocument<Answer, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Reply<Answer>> {
  try {
    const { response, isByHash } = await send(operation, variables, 'application/json', signal);
    // The operations of this page are checked against the schema of the coordinator that serves it.
    const envelope = (await response.json()) as Envelope<Answer>;
    if (isByHash && isUnknownByHash(operation.name, envelope)) return await ask(operation, variables, signal);
    if (response.status === 401) await sessionEnded();
    return read(response.status, envelope);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, message: `The coordinator cannot be reached (${why}). Check that it runs, then try again.` };
  }
}

/** Operations that the coordinator does not know by their hash, as while another version of it is being rolled out. */
const unknownByHash = new Set<string>();

export async function send<Answer, Variables>(
  { name, sha256, text }: TypedDocument<Answer, Variables>,
  variables: Variables,
  accept: string,
  signal?: AbortSignal,
): Promise<{ response: Response; isByHash: boolean }> {
  const isByHash = sha256 !== null && !unknownByHash.has(name);
  const asked = isByHash ? { extensions: { persistedQuery: { version: 1, sha256Hash: sha256 } } } : { query: text };
  const isQuery = text.startsWith('query') && accept === 'application/json';
  const response = await (isQuery ? patientFetch : fetch)('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify({ ...asked, operationName: name, variables }),
    credentials: 'same-origin',
    ...(signal === undefined ? {} : { signal }),
  });
  return { response, isByHash };
}

interface GraphqlError {
  message: string;
  extensions?: { code?: string };
}

export interface Envelope<Answer> {
  data?: Answer | null;
  errors?: GraphqlError[];
}

/** Whether what was asked by hash is worth asking again, with its text. */
export function isUnknownByHash(name: string, { errors = [] }: Envelope<unknown>): boolean {
  const isUnknown = errors.some(({ extensions }) => extensions?.code === 'PERSISTED_QUERY_NOT_FOUND');
  if (isUnknown) unknownByHash.add(name);
  return isUnknown;
}

/** What to do next, where the message of the coordinator does not say it. */
const adviceFor = ({ extensions }: GraphqlError): string =>
  extensions?.code === 'FORBIDDEN' ? ' Sign in with a token that has the right, or ask an admin for one.' : '';

function read<Answer>(status: number, { data, errors = [] }: Envelope<Answer>): Reply<Answer> {
  if (status === 401) return { ok: false, message: 'The session has ended.' };
  const [error] = errors;
  if (error !== undefined) return { ok: false, message: `${error.message}${adviceFor(error)}` };
  if (data !== undefined && data !== null) return { ok: true, answer: data };
  return { ok: false, message: `The coordinator gave no answer (status ${status}). Reload the page.` };
}
