import type { FileInput } from '@proofmark/contracts/test-case';

type Place = Pick<FileInput, 'path' | 'url'>;

/** The last part of the path, without what a URL has behind it. */
export function fileName({ path, url }: Place): string {
  const place = path ?? URL.parse(url ?? '')?.pathname ?? '';
  return place.split('/').findLast((part) => part !== '') ?? 'file';
}

/** What a message calls the file: without the query of a URL, which may hold a signature. */
export function shownPlace({ path, url }: Place): string {
  if (path !== undefined) return path.slice(0, 200);
  const parsed = URL.parse(url ?? '');
  return parsed === null ? 'url' : `${parsed.origin}${parsed.pathname}`.slice(0, 200);
}
