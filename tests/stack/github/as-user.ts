import type { GithubServer } from '../github-server.ts';
import { maintainer } from './emulator.ts';

export type UserRequest = {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  path: string;
  body?: unknown;
  token?: string;
};

/** What the API answers to the maintainer, who may do everything; throws on any answer but success. */
export async function asUser(
  github: GithubServer,
  { method = 'GET', path, body, token = maintainer.token }: UserRequest,
): Promise<unknown> {
  const answer = await fetch(github.apiUrl + path, {
    method,
    headers: { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** All pages of a list. `items` takes the list out of one page. */
export async function allPages<Item>(
  github: GithubServer,
  path: string,
  items: (page: unknown) => Item[],
): Promise<Item[]> {
  const found: Item[] = [];
  for (let page = 1; ; page++) {
    const url = new URL(path, 'http://api');
    url.searchParams.set('per_page', '100');
    url.searchParams.set('page', String(page));
    const more = items(await asUser(github, { path: url.pathname + url.search }));
    found.push(...more);
    if (more.length < 100) return found;
  }
}
