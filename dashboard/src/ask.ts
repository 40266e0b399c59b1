import { unknown as anything, config, array as list, looseObject, optional, string, type ZodMiniType } from 'zod/mini';
import { queries } from './queries.ts';

// Compiled shapes need eval, which the content security policy of this page forbids.
config({ jitless: true });

type Asked<Answer> = { ok: true; answer: Answer } | { ok: false; isUnauthenticated: boolean; message: string };

const Envelope = looseObject({
  data: optional(anything()),
  errors: optional(list(looseObject({ message: string() }))),
});

type Question = { query: keyof typeof queries; variables?: Record<string, unknown>; signal?: AbortSignal };

/** Sends one of the queries with the token of this tab. Every failure is a value with words for people. */
export async function ask<Answer>(
  shape: ZodMiniType<Answer>,
  { query, variables = {}, signal }: Question,
): Promise<Asked<Answer>> {
  try {
    const response = await send(query, variables, 'application/json', signal);
    return await read(shape, response);
  } catch (error) {
    return refused(`The coordinator cannot be reached (${error instanceof Error ? error.message : String(error)}).`);
  }
}

export async function send(
  query: keyof typeof queries,
  variables: Record<string, unknown>,
  accept: string,
  signal?: AbortSignal,
): Promise<Response> {
  return await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, authorization: `Bearer ${token.read() ?? ''}` },
    body: JSON.stringify({ query: queries[query], variables }),
    credentials: 'omit',
    ...(signal === undefined ? {} : { signal }),
  });
}

async function read<Answer>(shape: ZodMiniType<Answer>, response: Response): Promise<Asked<Answer>> {
  if (response.status === 401) {
    return { ok: false, isUnauthenticated: true, message: 'The token is not valid here. It may have expired.' };
  }
  const envelope = Envelope.safeParse(await response.json());
  const [error] = envelope.data?.errors ?? [];
  if (error !== undefined) return refused(error.message);
  const answer = shape.safeParse(envelope.data?.data);
  if (answer.success) return { ok: true, answer: answer.data };
  return refused(`The coordinator gave an answer that this page does not understand (status ${response.status}).`);
}

function refused(message: string): { ok: false; isUnauthenticated: boolean; message: string } {
  return { ok: false, isUnauthenticated: false, message };
}

const key = 'proofmark-token';

/** The API token of this tab. It lives as long as the tab and goes nowhere but into the header of our own requests. */
export const token = {
  read: (): string | null => sessionStorage.getItem(key),
  keep: (value: string): void => sessionStorage.setItem(key, value),
  forget: (): void => sessionStorage.removeItem(key),
};
