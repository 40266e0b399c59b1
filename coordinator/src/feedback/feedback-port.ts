import type { Conclusion } from '@proofmark/contracts/verdict';
import type { Change } from '@proofmark/domain/affected-suites';
import { z } from 'zod';

/** A repository as GitHub knows it: the numbers identify it, the name only addresses it. */
export const RepositoryRef = z.object({
  host: z.string(),
  externalId: z.string(),
  fullName: z.string(),
});
export type RepositoryRef = z.infer<typeof RepositoryRef>;

/** What an outbox row of kind `github-check` is about: one check run of one run on one commit. */
export const CheckSubject = z.object({
  repository: RepositoryRef,
  headSha: z.string(),
  name: z.string(),
  /** Null: the aggregate. */
  suiteId: z.string().nullable(),
  /** `{run id}:{n}`: 0 for the aggregate, then the suites by name. */
  externalId: z.string(),
});
export type CheckSubject = z.infer<typeof CheckSubject>;

/** What stands for the id of a suite that is not run, and has no row in the run. */
export function unaffectedId(suiteName: string): string {
  return `unaffected:${suiteName}`;
}

/** What a commit shows under the name of the aggregate while no run of it exists. */
export interface StandIn extends Pick<CheckSubject, 'headSha' | 'name'> {
  /** Null: something is waited for. Else there will be no run, and this is how the check ends. */
  conclusion: Conclusion | null;
  title: string;
}

/** By this the check is known that has no run yet. The aggregate of the first run on the commit takes it over. */
export function standInId({ headSha }: Pick<CheckSubject, 'headSha'>): string {
  return `waiting:${headSha}`;
}

/** What an outbox row of kind `github-comment` is about: the one comment of a pull request under a key. */
export const CommentSubject = z.object({
  repository: RepositoryRef,
  pullRequest: z.int(),
  commentKey: z.string(),
});
export type CommentSubject = z.infer<typeof CommentSubject>;

export interface FeedbackRow {
  tenantId: string;
  id: string;
  kind: 'github-check' | 'github-comment';
  runId: string;
  subject: unknown;
  /** Id of the check run or comment on GitHub, once known. */
  externalId: string | null;
  tries: number;
}

/** An issue that tells of an alert, or tells in the issue of an earlier alert that it is over. */
export const IssueSubject = z.object({
  repository: RepositoryRef,
  /** By this it is known: what was told is not told twice. */
  key: z.string(),
  title: z.string(),
  lines: z.array(z.string()),
  url: z.string().nullable(),
  /** The issue that it ends; null: it is one of its own. */
  closes: z.int().nullable(),
});
export type IssueSubject = z.infer<typeof IssueSubject>;

export interface IssueRow extends Omit<FeedbackRow, 'kind' | 'runId'> {
  kind: 'github-issue';
}

export type DeliveryResult =
  | {
      state: 'done';
      externalId: string | null;
      /** What of it was refused. */
      reason?: string;
    }
  | {
      state: 'retry';
      reason: string;
      afterMs: number;
      externalId?: string;
      /** For the operator alone. */
      detail?: string;
    }
  | {
      state: 'parked';
      reason: string;
      externalId?: string;
      /** The same again would be refused again: only another wish is tried. */
      isFinal?: boolean;
    };

/**
 * What the rest of the coordinator asks of GitHub: of the server on which the repository is. Null where no App is configured;
 * a server without one is asked nothing.
 */
export interface FeedbackPort {
  /** Whether an App is configured for this server. */
  hasApp(host: string): boolean;
  /**
   * Brings what the row is about to the state that the database wants now: reads first, then writes the difference. Sits
   * out no pause that the forge has asked for.
   */
  deliver(row: FeedbackRow | IssueRow, signal: AbortSignal): Promise<DeliveryResult>;
  /** Shows a check on a commit of which there is no run yet, or ends it; nothing where the App is not installed. */
  showStandIn(repository: RepositoryRef, standIn: StandIn): Promise<void>;
  /** The merge base of two commits; null when GitHub does not know one of them. */
  mergeBase(repository: RepositoryRef, baseSha: string, headSha: string): Promise<string | null>;
  /** A commit and its first-parent ancestors, newest first; null when GitHub does not know it. */
  ancestors(repository: RepositoryRef, sha: string, most: number): Promise<string[] | null>;
  /** The files of a commit, else as another repository has them; null when GitHub does not know it or lists only a part of them. */
  committed(repository: RepositoryRef, sha: string, alsoIn?: string | null): Promise<CommittedFiles | null>;
  /** What differs between two commits; null when GitHub does not know one of them. */
  changed(repository: RepositoryRef, baseSha: string, headSha: string): Promise<Change | null>;
  /**
   * A pull request as GitHub has it now; null when it does not know it. Where its head is not the expected one, it is read
   * once more a moment later: GitHub may be behind its own webhooks.
   */
  pullRequest(repository: RepositoryRef, number: number, expectedHead: string | null): Promise<PullRequestNow | null>;
  /** Whether somebody may write to the repository. */
  mayWrite(repository: RepositoryRef, login: string): Promise<boolean>;
  /** Whether it is the App itself that acts under this login. */
  isOwnBot(host: string, login: string): Promise<boolean>;
  /** Asks for the webhooks of the last day again that did not arrive, unless they are among those; how many were asked for. */
  redeliverFailed(arrived: (guids: readonly string[]) => Promise<ReadonlySet<string>>): Promise<number>;
  /** Confirms with GitHub that both ids are those of the repository of this name and that the App is installed on it. */
  confirmInstallation(repository: RepositoryRef, ownerExternalId: string): Promise<Installation | null>;
}

export interface PullRequestNow {
  headSha: string;
  headRef: string;
  /** Where the head stands; null when that repository is gone. */
  headRepository: string | null;
  baseSha: string;
  author: string | null;
  title: string | null;
  isOpen: boolean;
  isMerged: boolean;
  /** Its head stands in another repository, or in one that is gone. */
  isFork: boolean;
}

/** The files of a commit by their paths from the root. */
export interface CommittedFiles {
  paths: ReadonlySet<string>;
  /** How many bytes one of them has. */
  size: (path: string) => number;
  /** The id that git has for the content of one of them; null where there is no such file. */
  blobSha: (path: string) => string | null;
  /** The content of one of them. */
  read: (path: string) => Promise<Buffer>;
}

export interface Installation {
  installationId: string;
  defaultBranch: string;
}
