import { z } from 'zod';
import { type AppSettings, GitHubApp } from './github-app.ts';

const App = z.looseObject({
  slug: z.string(),
  permissions: z.record(z.string(), z.string()).default({}),
  events: z.array(z.string()).default([]),
});
const Installations = z.array(z.looseObject({ id: z.int(), suspended_at: z.string().nullish() }));

/** What the App must be allowed, and hear of. */
const permissions = {
  checks: 'write',
  pull_requests: 'write',
  contents: 'read',
  metadata: 'read',
  // GitHub tells of merge groups only whoever may read the queue.
  merge_queues: 'read',
} as const;
const events = ['check_run', 'pull_request', 'merge_group'] as const;

export interface AppFindings {
  faults: string[];
  doubts: string[];
  /** How far its clock is before ours, as its answer says; 0 within the time that the answer took. */
  skewMs: number;
}

/** How far a time that somebody told lies outside of the time in which he was asked. */
export const skewOf = (toldMs: number, fromMs: number, toMs: number): number =>
  toldMs > toMs ? toldMs - toMs : toldMs < fromMs ? toldMs - fromMs : 0;

/** What keeps an App from doing its work, each with what to do. */
export async function examineApp(settings: AppSettings, nowMs: () => number): Promise<AppFindings> {
  const { host } = settings;
  try {
    const request = await new GitHubApp(settings).asApp();
    const askedMs = nowMs();
    const answer = await request('GET /app');
    const answeredMs = nowMs();
    const app = App.parse(answer.data);
    const date = Date.parse(String(answer.headers.date));
    const installations = Installations.parse((await request('GET /app/installations')).data);
    return {
      faults: [...missingRights(host, app), ...missingEvents(host, app)],
      doubts: doubtsOf(host, app, installations),
      // Its clock is told in whole seconds.
      skewMs: skewOf(date, askedMs - 1000, answeredMs),
    };
  } catch (error) {
    return { faults: [whyRefused(host, error)], doubts: [], skewMs: 0 };
  }
}

function missingRights(host: string, { slug, permissions: given }: z.infer<typeof App>): string[] {
  const missing = Object.entries(permissions).filter(([name, need]) => given[name] !== need && given[name] !== 'write');
  if (missing.length === 0) return [];
  const words = missing.map(([name, need]) => `${name}: ${need}`).join(', ');
  return [
    `The App ${slug} on ${host} lacks ${words}: give it these repository permissions, and accept them where it is installed`,
  ];
}

function missingEvents(host: string, { slug, events: heard }: z.infer<typeof App>): string[] {
  const missing = events.filter((name) => !heard.includes(name));
  return missing.length === 0
    ? []
    : [`The App ${slug} on ${host} is not told of ${missing.join(', ')}: subscribe it to these events`];
}

function doubtsOf(host: string, { slug, permissions: given }: z.infer<typeof App>, all: z.infer<typeof Installations>) {
  const doubts: string[] = [];
  if (all.length === 0)
    doubts.push(`The App ${slug} on ${host} is installed nowhere: install it on the repositories that it shall gate`);
  else if (all.every(({ suspended_at }) => suspended_at != null))
    doubts.push(`Every installation of the App ${slug} on ${host} is suspended: unsuspend it`);
  if (given.issues !== 'write')
    doubts.push(`The App ${slug} on ${host} may not open issues: alerts of the kind GITHUB_ISSUE need issues: write`);
  return doubts;
}

function whyRefused(host: string, error: unknown): string {
  const status = Object(error).status;
  if (status === 401 || status === 404)
    return `GitHub at ${host} does not know the App: GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY must be of one App, and the clock of this machine right`;
  const reason = error instanceof Error ? error.message.slice(0, 200) : 'unknown';
  return `GitHub at ${host} cannot be asked: ${reason}. Check GITHUB_API_URL and the way there`;
}
