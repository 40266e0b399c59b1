import { readFileSync } from 'node:fs';
import { z } from 'zod';

const RepositoryRef = z.looseObject({ id: z.number(), default_branch: z.string().nullish() });

/** The parts of an event that are read. GitHub leaves any of them out, or null, when it has nothing to say. */
export const EventPayload = z.looseObject({
  action: z.string().nullish(),
  pull_request: z
    .looseObject({
      number: z.number(),
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
