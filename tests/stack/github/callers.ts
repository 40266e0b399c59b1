import { randomBytes } from 'node:crypto';
import { z } from 'zod';

export type Permissions = Record<string, string>;

/** The App in whose name a token acts. */
export type ActingApp = { id: number; slug: string; name: string };

export type Caller =
  | { kind: 'anonymous' | 'unknown' | 'app' }
  | { kind: 'user'; login: string; id: number }
  /** An installation of the App, or a job of a workflow, which is an installation of GitHub's own App. */
  | { kind: 'installation' | 'job'; app: ActingApp; permissions: Permissions; repositoryIds: number[] | undefined };

export const githubActions: ActingApp = { id: 15_368, slug: 'github-actions', name: 'GitHub Actions' };

const InstallationToken = z.looseObject({
  token: z.string(),
  permissions: z.record(z.string(), z.string()),
  repositories: z.array(z.looseObject({ id: z.number() })).optional(),
});

/** Knows every token that the server ever gave out, and who holds it. */
export class TokenBook {
  readonly #callers = new Map<string, Caller>();

  addUser(token: string, login: string, id: number): void {
    this.#callers.set(token, { kind: 'user', login, id });
  }

  /** Notes the token in an answer of the access_tokens endpoint. */
  addInstallation(answer: unknown, app: ActingApp): void {
    const { token, permissions, repositories } = InstallationToken.parse(answer);
    this.#callers.set(token, {
      kind: 'installation',
      app,
      permissions,
      repositoryIds: repositories?.map(({ id }) => id),
    });
  }

  /** A new GITHUB_TOKEN for a job of this repository. */
  addJob(repositoryId: number, permissions: Permissions): string {
    const token = `ghs_job${randomBytes(16).toString('hex')}`;
    this.#callers.set(token, { kind: 'job', app: githubActions, permissions, repositoryIds: [repositoryId] });
    return token;
  }

  /** From now on this token, or every installation token when none is given, is bad credentials. */
  revoke(token?: string): void {
    for (const [known, { kind }] of this.#callers) {
      if (token === undefined ? kind === 'installation' : known === token) this.#callers.delete(known);
    }
  }

  /** Who sends this Authorization header. Whether a JWT of the App is genuine is judged by the emulator. */
  callerOf(authorization: string | undefined): Caller {
    const token = tokenOf(authorization);
    if (token === undefined) return { kind: 'anonymous' };
    const caller = this.#callers.get(token);
    if (caller !== undefined) return caller;
    return token.split('.').length === 3 ? { kind: 'app' } : { kind: 'unknown' };
  }
}

/** The credentials behind "Bearer" or "token". */
export function tokenOf(authorization: string | undefined): string | undefined {
  return authorization?.replace(/^(?:bearer|token)\s+/i, '');
}

/** Whether the caller may do this to the repository; users of the emulator may do everything. */
export function mayUse(caller: Caller, repositoryId: number, permission: string, need: 'read' | 'write'): boolean {
  if (caller.kind === 'user') return true;
  if (caller.kind !== 'installation' && caller.kind !== 'job') return need === 'read' && caller.kind === 'anonymous';
  if (caller.repositoryIds !== undefined && !caller.repositoryIds.includes(repositoryId)) return false;
  const granted = caller.permissions[permission];
  return granted === 'write' || (need === 'read' && granted === 'read');
}

export type Account = { login: string; id: number; type: 'Bot' | 'User' };

/** How the caller appears as an author. */
export function accountOf(caller: Caller): Account {
  if (caller.kind === 'user') return { login: caller.login, id: caller.id, type: 'User' };
  if (caller.kind === 'job') return { login: 'github-actions[bot]', id: 41_898_282, type: 'Bot' };
  if (caller.kind === 'installation')
    return { login: `${caller.app.slug}[bot]`, id: 900_000 + caller.app.id, type: 'Bot' };
  return { login: 'ghost', id: 10_137, type: 'User' };
}
