import type { Sent } from './client-error.ts';
import { type Endpoint, failureOf, sendRequest } from './send-operation.ts';

/** A file of a case and the SHA-256 of its content. */
export interface Upload {
  sha256: string;
  content: Uint8Array<ArrayBuffer>;
}

/** 20 MB over a slow line. */
const uploadMs = 120_000;

/** Uploads a file once. One that the coordinator has already is fine, too. */
export async function uploadBlob(endpoint: Endpoint, { sha256, content }: Upload): Promise<Sent<{ created: boolean }>> {
  const bearer = await endpoint.bearer();
  if (!bearer.ok) return bearer;
  const answered = await sendRequest({ timeoutMs: uploadMs, ...endpoint }, bearer.answer, {
    method: 'PUT',
    path: `/blobs/${sha256}`,
    type: 'application/octet-stream',
    body: content,
  });
  if (!answered.ok) return answered;
  const { response, text } = answered;
  return response.ok
    ? { ok: true, answer: { created: response.status === 201 } }
    : { ok: false, error: failureOf(response, text) };
}
