import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { JobEnvironment } from './environment.ts';

const runEvents = ['pull_request', 'push', 'merge_group', 'workflow_dispatch', 'schedule'] as const;
type RunEvent = (typeof runEvents)[number];

/** What started the job, and which commit it is about. */
export interface JobTrigger {
  event: RunEvent;
  /** Never the merge commit that GITHUB_SHA names on a pull request. */
  headSha: string;
  baseSha: string | null;
  pullRequest: number | null;
  ref: string;
  author: string | null;
  /** Of the pull request. */
  title: string | null;
  defaultBranch: string | null;
  /** GitHub gives such jobs neither secrets nor an id token. */
  withoutSecrets: 'Fork' | 'Dependabot' | null;
}

type ReadEvent =
  | { kind: 'run'; trigger: JobTrigger }
  /** There is nothing to do, and that is fine. */
  | { kind: 'nothing'; message: string }
  /** Running would be wrong: no request may be made. */
  | { kind: 'refused'; message: string };

/** Events that run with the rights of the base although somebody else chose what is run. */
const withForeignContent = ['pull_request_target', 'workflow_run', 'issue_comment'];

/** What to do about the event of the job; the table of events of the documentation, with no switch to change it. */
export function readEvent(environment: JobEnvironment, payload: EventPayload): ReadEvent {
  const event = runEvents.find((one) => one === environment.eventName);
  if (event === undefined) return { kind: 'refused', message: refusal(environment.eventName) };
  switch (event) {
    case 'pull_request':
      return readPullRequest(environment, payload);
    case 'merge_group':
      return readMergeGroup(environment, payload);
    case 'push':
      return readPush(environment, payload);
    case 'workflow_dispatch':
    case 'schedule':
      return onCommit(environment, payload, event, environment.sha);
  }
}

/** Whether a push went to a branch whose runs others are compared with. */
export function isBaseBranch({ ref, defaultBranch }: JobTrigger, baselineBranches: readonly string[]): boolean {
  const branches = [...(defaultBranch === null ? ['main', 'master'] : [defaultBranch]), ...baselineBranches];
  return branches.some((branch) => ref === `refs/heads/${branch}`);
}

function refusal(eventName: string): string {
  if (withForeignContent.includes(eventName)) {
    return `Event ${eventName} is not supported: it would give fork content access to keys.`;
  }
  return `Event ${eventName === '' ? 'without a name' : eventName} is not supported: use ${runEvents.join(', ')}.`;
}

function readPullRequest(environment: JobEnvironment, payload: EventPayload): ReadEvent {
  const { action, pull_request: pullRequest, repository } = payload;
  if (pullRequest === undefined || pullRequest === null) {
    return { kind: 'refused', message: 'The event has no pull request in it.' };
  }
  if (action === 'closed') return { kind: 'nothing', message: 'The pull request is closed: nothing to do.' };
  const { head, base, number, user, title } = pullRequest;
  // A fork that was deleted since has no repository any more.
  const isFork = head.repo?.id === undefined || head.repo.id !== idOf(environment, repository);
  const isDependabot = environment.actor === 'dependabot[bot]' || user?.login === 'dependabot[bot]';
  return {
    kind: 'run',
    trigger: {
      ...common(environment, payload),
      event: 'pull_request',
      headSha: head.sha,
      baseSha: base.sha,
      pullRequest: number,
      author: user?.login ?? environment.actor,
      title: title?.slice(0, 1_000) ?? null,
      withoutSecrets: isFork ? 'Fork' : isDependabot ? 'Dependabot' : null,
    },
  };
}

function readMergeGroup(environment: JobEnvironment, payload: EventPayload): ReadEvent {
  const { merge_group: group, action } = payload;
  if (group === undefined || group === null) return { kind: 'refused', message: 'The event has no merge group in it.' };
  if (action === 'destroyed') return { kind: 'nothing', message: 'The merge group is gone: nothing to do.' };
  const trigger: JobTrigger = { ...common(environment, payload), event: 'merge_group', headSha: group.head_sha };
  return { kind: 'run', trigger: { ...trigger, baseSha: group.base_sha } };
}

function readPush(environment: JobEnvironment, payload: EventPayload): ReadEvent {
  if (payload.deleted === true) return { kind: 'nothing', message: 'The branch was deleted: nothing to do.' };
  if (!environment.ref.startsWith('refs/heads/')) {
    return { kind: 'nothing', message: `${environment.ref} is not a branch: nothing to do.` };
  }
  return onCommit(environment, payload, 'push', payload.after ?? environment.sha);
}

function onCommit(environment: JobEnvironment, payload: EventPayload, event: RunEvent, sha: string | null): ReadEvent {
  if (sha === null) return { kind: 'refused', message: 'The event names no commit.' };
  return { kind: 'run', trigger: { ...common(environment, payload), event, headSha: sha } };
}

function common({ ref, actor }: JobEnvironment, { repository }: EventPayload) {
  return {
    ref,
    author: actor,
    title: null,
    baseSha: null,
    pullRequest: null,
    defaultBranch: repository?.default_branch ?? null,
    withoutSecrets: null,
  };
}

function idOf({ repositoryId }: JobEnvironment, repository: EventPayload['repository']): number | undefined {
  return repository?.id ?? (repositoryId === null ? undefined : Number(repositoryId));
}

const RepositoryRef = z.looseObject({ id: z.number(), default_branch: z.string().nullish() });

/** The parts of an event that are read. GitHub leaves any of them out, or null, when it has nothing to say. */
export const EventPayload = z.looseObject({
  action: z.string().nullish(),
  pull_request: z
    .looseObject({
      number: z.number(),
      title: z.string().nullish(),
      head: z.looseObject({ sha: z.string(), repo: RepositoryRef.nullish() }),
      base: z.looseObject({ sha: z.string() }),
      user: z.looseObject({ login: z.string() }).nullish(),
    })
    .nullish(),
  merge_group: z.looseObject({ head_sha: z.string(), base_sha: z.string() }).nullish(),
  repository: RepositoryRef.nullish(),
  after: z.string().nullish(),
  deleted: z.boolean().nullish(),
});
export type EventPayload = z.infer<typeof EventPayload>;

type ReadPayload = { ok: true; payload: EventPayload } | { ok: false; message: string };

/** The event of the job as GitHub wrote it into a file. */
export function readPayload(path: string | null): ReadPayload {
  if (path === null) return { ok: false, message: 'GITHUB_EVENT_PATH is not set: this is no job of GitHub Actions.' };
  try {
    const parsed = EventPayload.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    return parsed.success
      ? { ok: true, payload: parsed.data }
      : { ok: false, message: `The event file has another form: ${z.prettifyError(parsed.error)}` };
  } catch (error) {
    return {
      ok: false,
      message: `The event file cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}
