import { signal } from '@preact/signals';

const key = 'proofmark-token';

/** The API token of this tab. It lives as long as the tab and goes nowhere but into the header of our own requests. */
export const token = signal<string | null>(sessionStorage.getItem(key));

/** Why nobody is signed in, when that is worth a sentence. */
export const whyNobody = signal<string | null>(null);

export function signIn(value: string): void {
  sessionStorage.setItem(key, value);
  whyNobody.value = null;
  token.value = value;
}

/** Forgets the token: who signs out leaves nothing, and one that was refused is of no use any more. */
export function signOut(reason: string | null = null): void {
  sessionStorage.removeItem(key);
  whyNobody.value = reason;
  token.value = null;
}

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * A link of a demo signs in by what stands behind its `#`, which no server is told. On this machine alone: elsewhere a link
 * could sign somebody in as somebody else.
 */
export function signInByLink(): void {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given === null) return;
  history.replaceState(null, '', location.pathname + location.search);
  if (loopback.has(location.hostname)) signIn(given);
}
