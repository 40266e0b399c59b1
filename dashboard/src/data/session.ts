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

export async function signOut(): Promise<void> {
  await request('DELETE');
  whyNobody.value = null;
  viewer.value = null;
}

/** What was open has ended: with its token, or after its time. */
export function sessionEnded(): void {
  whyNobody.value = 'The session has ended. Sign in again to go on here.';
  viewer.value = null;
}

interface Answer {
  viewer: Viewer | null;
  problem: string | null;
}

async function request(method: 'GET' | 'POST' | 'DELETE', body?: object): Promise<Answer> {
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch('/session', { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const said = (await response.json()) as { viewer?: Viewer | null; errors?: { message: string }[] };
    return { viewer: said.viewer ?? null, problem: said.errors?.[0]?.message ?? null };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      viewer: null,
      problem: `The coordinator cannot be reached (${why}). Check that it runs, then reload the page.`,
    };
  }
}
