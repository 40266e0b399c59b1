import { signal } from '@preact/signals';

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

/** Asks who is signed in: at the start, and when an answer says that nobody is any more. */
export async function learnViewer(): Promise<void> {
  const answer = await request('GET');
  viewer.value = answer.viewer;
  whyNobody.value = answer.problem;
}

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

/** What was open has ended: with its token, or after its time. */
export function sessionEnded(): void {
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
    const response = await fetch('/session', { method, headers, ...(body && { body: JSON.stringify(body) }) });
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
