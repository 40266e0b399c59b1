import { z } from 'zod';

const Link = z.object({ url: z.url() });

/** A link to a path of the coordinator that signs a browser in, once. */
export async function signInLink({ url, token }: { url: string; token: string }, to: string): Promise<string> {
  const response = await fetch(`${url}/session/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ to }),
  });
  return Link.parse(await response.json()).url;
}
