import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/core';
import type { Ask, AskGraphql } from '@proofmark/process/github';
import { z } from 'zod';
import type { FeedbackRow, Installation, IssueRow, RepositoryRef } from './feedback-port.ts';
import type { GithubTold } from './github-told.ts';
import { paceKeyOf } from './write-pace.ts';

export interface AppSettings {
  /** The server on which it is an App. */
  host: string;
  appId: number;
  privateKey: string;
  apiUrl: string;
  graphqlUrl: string;
  /** Absent: asked from the server. */
  slug?: string | undefined;
  /** Given: every repository belongs to this installation; absent: looked up. */
  installationId?: number | undefined;
  /** Absent: nobody counts the requests. */
  told?: GithubTold | undefined;
}

/** The requests of the App to one repository, with a token that can do no more than this product needs. */
export interface RepositoryClient {
  installationId: string;
  /** By this the pace of the installation is kept: two servers may count alike. */
  paceKey: string;
  owner: string;
  repo: string;
  ask: Ask;
  graphql: AskGraphql;
}

const permissions = { checks: 'write', pull_requests: 'write', contents: 'read', metadata: 'read' } as const;

/** Alerts alone open issues, and an installation may not let the App: it loses nothing else by that. */
const permissionsForIssues = { issues: 'write', metadata: 'read' } as const;

type Permissions = typeof permissions | typeof permissionsForIssues;

export const permissionsFor = (kind: FeedbackRow['kind'] | IssueRow['kind']): Permissions =>
  kind === 'github-issue' ? permissionsForIssues : permissions;

const requestTimeoutMs = 15_000;

const InstallationAnswer = z.object({ id: z.int() });
const RepositoryAnswer = z.object({
  id: z.int(),
  owner: z.object({ id: z.int() }),
  default_branch: z.string(),
});

/** The GitHub App: who it is, where it is installed, and a client for each repository. */
export class GitHubApp {
  readonly #settings: AppSettings;
  readonly #auth: ReturnType<typeof createAppAuth>;
  readonly #appOctokit: Octokit;
  readonly #installations = new Map<string, number>();
  #slug: string | undefined;

  constructor(settings: AppSettings) {
    this.#settings = settings;
    this.#slug = settings.slug;
    const octokit = new Octokit({ baseUrl: settings.apiUrl });
    this.#auth = createAppAuth({
      appId: settings.appId,
      privateKey: settings.privateKey,
      request: octokit.request.defaults({ baseUrl: settings.apiUrl, request: fetching(settings) }),
    });
    this.#appOctokit = octokit;
  }

  get appId(): number {
    return this.#settings.appId;
  }

  /** The login under which the App comments. */
  async botLogin(): Promise<string> {
    if (this.#slug === undefined) {
      const request = await this.asApp();
      const answer = await request('GET /app');
      this.#slug = z.object({ slug: z.string() }).parse(answer.data).slug;
    }
    return `${this.#slug}[bot]`;
  }

  /** Requests about the App itself, whatever it is installed on. */
  async asApp(): Promise<Octokit['request']> {
    const { token } = await this.#auth({ type: 'app' });
    return this.#appOctokit.request.defaults({ headers: bearer(token), request: fetching(this.#settings) });
  }

  /**
   * A client for the repository; null when the App is not installed on it. `fresh`: use nothing that was learnt before,
   * neither a token nor the installation, which is another one after the App was removed and installed again.
   */
  async repository(
    ref: RepositoryRef,
    fresh = false,
    may: Permissions = permissions,
  ): Promise<RepositoryClient | null> {
    const [owner = '', repo = ''] = ref.fullName.split('/');
    if (fresh) this.#installations.delete(ref.fullName);
    const installationId = this.#installations.get(ref.fullName) ?? (await this.#findInstallation(owner, repo));
    if (installationId === null) return null;
    this.#installations.set(ref.fullName, installationId);
    const { token } = await this.#auth({
      type: 'installation',
      installationId,
      repositoryIds: [Number(ref.externalId)],
      permissions: may,
      refresh: fresh,
    });
    const { host, apiUrl, graphqlUrl } = this.#settings;
    const octokit = new Octokit({ baseUrl: apiUrl });
    const options = { headers: bearer(token), request: fetching(this.#settings) };
    // Its client adds the last part of the address by itself.
    const graphql = octokit.graphql.defaults({ ...options, baseUrl: graphqlUrl.replace(/\/graphql$/, '') });
    const request = octokit.request.defaults(options);
    const ask: Ask = async (route, parameters) => (await request(route, { owner, repo, ...parameters })).data;
    const paceKey = paceKeyOf(host, String(installationId));
    return { installationId: String(installationId), paceKey, owner, repo, ask, graphql };
  }

  /** Whether the repository of this name has both ids and the App; null otherwise. */
  async confirmInstallation(ref: RepositoryRef, ownerExternalId: string): Promise<Installation | null> {
    const client = await this.repository(ref, true);
    if (client === null) return null;
    const repository = RepositoryAnswer.parse(await client.ask('GET /repos/{owner}/{repo}'));
    const isSame = String(repository.id) === ref.externalId && String(repository.owner.id) === ownerExternalId;
    return isSame ? { installationId: client.installationId, defaultBranch: repository.default_branch } : null;
  }

  async #findInstallation(owner: string, repo: string): Promise<number | null> {
    if (this.#settings.installationId !== undefined) return this.#settings.installationId;
    const request = await this.asApp();
    try {
      const answer = await request('GET /repos/{owner}/{repo}/installation', { owner, repo });
      return InstallationAnswer.parse(answer.data).id;
    } catch (error) {
      if (error instanceof Error && 'status' in error && error.status === 404) return null;
      throw error;
    }
  }
}

function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/** Without a deadline a stalled connection would hold a lease for ever. */
function fetching({ told }: Pick<AppSettings, 'told'>): { fetch: typeof fetch } {
  return {
    fetch: async (url, init) => {
      let status: number | null = null;
      try {
        const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(requestTimeoutMs) });
        status = answer.status;
        return answer;
      } finally {
        const address = url instanceof Request ? url.url : url.toString();
        told?.answered({ kind: kindOf(address, init?.method), status });
      }
    },
  };
}

function kindOf(url: string, method: string | undefined): Parameters<GithubTold['answered']>[0]['kind'] {
  if (url.endsWith('/graphql')) return 'graphql';
  if (url.endsWith('/access_tokens')) return 'token';
  return method === 'GET' ? 'read' : 'write';
}
