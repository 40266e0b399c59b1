import { z } from 'zod';

/** What goes back to a caller; a body that is a string is sent as it is. */
export type Answer = { status: number; body?: unknown; headers?: Record<string, string> };

const documentation_url = 'https://docs.github.com/rest';

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown): Answer => ({ status: 201, body });
export const noContent: Answer = { status: 204 };
export const notFound: Answer = { status: 404, body: { message: 'Not Found', documentation_url, status: '404' } };
export const unauthorized: Answer = {
  status: 401,
  body: { message: 'Bad credentials', documentation_url, status: '401' },
};

/** GitHub's words for a token that lacks a permission, unless others are given. */
export function forbidden(message = 'Resource not accessible by integration'): Answer {
  return { status: 403, body: { message, documentation_url, status: '403' } };
}

/** 422 with one entry per problem. */
export function unprocessable(resource: string, problems: { field: string; message: string; code?: string }[]): Answer {
  const errors = problems.map(({ field, message, code = 'invalid' }) => ({ resource, code, field, message }));
  return { status: 422, body: { message: 'Validation Failed', errors, documentation_url, status: '422' } };
}

/** The parsed body, or the 422 that GitHub would give. */
export function parseBody<Shape extends z.ZodType>(
  resource: string,
  shape: Shape,
  body: unknown,
): { value: z.infer<Shape> } | { refusal: Answer } {
  const parsed = shape.safeParse(body);
  if (parsed.success) return { value: parsed.data };
  const problems = parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), message }));
  return { refusal: unprocessable(resource, problems) };
}

const Page = z.object({
  page: z.coerce.number().int().min(1).catch(1),
  per_page: z.coerce.number().int().min(1).max(100).catch(30),
});

/** One page of a list, with a Link header when there are others. */
export function paged<Item>(items: readonly Item[], url: URL): { slice: Item[]; headers: Record<string, string> } {
  const asked = Object.fromEntries(url.searchParams);
  // GitHub cuts a page size above its maximum instead of refusing it.
  const { page, per_page } = Page.parse({
    page: asked.page ?? 1,
    per_page: Math.min(100, Number(asked.per_page ?? 30)),
  });
  const last = Math.max(1, Math.ceil(items.length / per_page));
  const link = (target: number, rel: string) => {
    const to = new URL(url);
    to.searchParams.set('page', String(target));
    to.searchParams.set('per_page', String(per_page));
    return `<${to.href}>; rel="${rel}"`;
  };
  const links = [
    ...(page > 1 ? [link(page - 1, 'prev')] : []),
    ...(page < last ? [link(page + 1, 'next'), link(last, 'last')] : []),
    ...(page > 1 ? [link(1, 'first')] : []),
  ];
  const slice = items.slice((page - 1) * per_page, page * per_page);
  return { slice, headers: links.length > 0 ? { link: links.join(', ') } : {} };
}
