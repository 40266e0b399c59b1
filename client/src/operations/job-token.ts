import type { ExchangeTokenMutation } from './documents.ts';

/** The token of a workflow run, and whether the coordinator itself writes checks and comments for its repository. */
export type JobToken = ReturnType<typeof jobTokenOf>;

export const jobTokenOf = ({
  exchangeToken: { token, expiresAt, reporting, maxBodyBytes },
}: ExchangeTokenMutation) => ({
  token,
  expiresAtMs: Date.parse(expiresAt),
  hasApp: reporting === 'APP',
  maxBodyBytes,
});
