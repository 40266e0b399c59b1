import type { ClientError } from '@proofmark/client/client-error';

/** What a request to a coordinator failed of, for the person who typed the command: a refused token names its variable. */
export function errorWords({ code, message }: Pick<ClientError, 'code' | 'message'>): string {
  if (code !== 'UNAUTHENTICATED') return message;
  return 'The coordinator does not know the token of PROOFMARK_TOKEN, or it is revoked or expired.';
}
