import type { Account, ActingApp } from './callers.ts';

export type CommentRow = {
  id: number;
  repositoryId: number;
  repository: string;
  issue: number;
  body: string;
  user: Account;
  app: ActingApp | undefined;
  created_at: string;
  updated_at: string;
  /** Why it is folded away, e.g. OUTDATED. */
  minimized: string | undefined;
};
