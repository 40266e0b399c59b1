import { signal } from '@preact/signals';
import { patientFetch } from './patient-fetch.ts';

/** Who is signed in. */
export interface Viewer {
  tenant: string;
  login: string;
  scopes: string[];
}

/** Undefined: not known yet. Null: nobody is signed in. The cookie itself no script reads. */
export const viewer = signal<Viewer | null | undefined>(undefined);

/** Why nobody is signed in, when that is worth a sentence. */
export const whyNobody = signal<string | null>(null);

/** How people sign in by name; null: with tokens only. */
interface NamedProvider {
  name: string;
  url: string;
}
export const provider = signal<NamedProvider | null>(null);

let learned: Promise<void> = Promise.resolve();

/** Asks who is signed in. Views need not wait for it: what nobody may see is refused to them. */
export function learnViewer(): void {
  learned = request('GET').then((answer) => {
    viewer.value = answer.viewer;
    whyNobody.value = answer.problem;
  });
}

export type Right = 'runs:write' | 'admin';

/** Whether the reader has a right: who has not sees no button for it. The coordinator decides all the same. */
export const may = (right: Right): boolean =>
  viewer.value?.scopes.some((scope) => scope === right || scope === 'admin') ?? false;

/** Whether the token opens something here. It is sent once and kept nowhere in the browser. */
export async function signIn(token: string): Promise<void> {
  const answer = await request('POST', { token });
  whyNobody.value = answer.problem;
  if (answer.viewer !== null) viewer.value = answer.viewer;
}

/** Why nobody was signed out, or null: a session that is still open is never shown as ended. */
export async function signOut(): Promise<string | null> {
  const { problem } = await request('DELETE');
  if (problem !== null) return problem;
  whyNobody.value = null;
  viewer.value = null;
  return null;
}

/** What was open has ended: with its token, or after its time. Nothing ends for whoever never signed in. */
export async function sessionEnded(): Promise<void> {
  await learned;
  if (viewer.value === null) return;
  whyNobody.value = 'The session has ended. Sign in again to go on here.';
  viewer.value = null;
}

interface Said {
  viewer?: Viewer | null;
  provider?: NamedProvider | null;
  errors?: { message: string }[];
}

interface Answer {
  viewer: Viewer | null;
  problem: string | null;
}

async function request(method: 'GET' | 'POST' | 'DELETE', body?: object): Promise<Answer> {
  try {
    const headers = { 'content-type': 'application/json' };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await (method === 'GET' ? patientFetch : fetch)('/session', init);
    const said = (await response.json()) as Said;
    if (said.provider !== undefined) provider.value = said.provider;
    const [error] = said.errors ?? [];
    const refused = response.ok ? null : `The coordinator refused (status ${response.status}). Try again.`;
    return { viewer: said.viewer ?? null, problem: error?.message ?? refused };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      viewer: null,
      problem: `The coordinator cannot be reached (${why}). Check that it runs, then reload the page.`,
    };
  }
}
