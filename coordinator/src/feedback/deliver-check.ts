import { suiteButtons } from '@proofmark/domain/check-buttons';
import { aggregateCheck, type CheckOutput, suiteCheck } from '@proofmark/domain/check-output';
import { type CheckPresence, checkPresences, isGreen } from '@proofmark/domain/check-presence';
import { type CheckWrite, checkWrites, poorerWrites } from '@proofmark/domain/check-update';
import { listPages } from '@proofmark/domain/list-pages';
import { z } from 'zod';
import { CheckSubject, type DeliveryResult, type FeedbackRow, standInId } from './feedback-port.ts';
import type { RepositoryClient } from './github-app.ts';
import type { RunReading } from './read-run-report.ts';

const CheckRun = z.object({
  id: z.int(),
  external_id: z.string().nullable(),
  status: z.string(),
  conclusion: z.string().nullable(),
  output: z.object({
    title: z.string().nullable(),
    summary: z.string().nullable(),
    text: z.string().nullish(),
    annotations_count: z.int(),
  }),
});
type CheckRun = z.infer<typeof CheckRun>;

/** What writing to GitHub needs beside the request itself. */
export interface Writing {
  appId: number;
  /** Waits for the turn of this installation, then writes. */
  write: <Answer>(send: () => Promise<Answer>) => Promise<Answer>;
  /** Runs the work while nobody else can create anything for the subject. */
  alone: <Result>(subject: string, work: () => Promise<Result>) => Promise<Result>;
}

/** Brings one check run to the state that the report wants. Reads first; an equal check costs no write. */
export async function deliverCheck(
  row: FeedbackRow,
  client: RepositoryClient,
  reading: RunReading,
  writing: Writing,
): Promise<DeliveryResult> {
  const subject = CheckSubject.parse(row.subject);
  const wanted = wantedCheck(subject, reading);
  if (wanted === null) return { state: 'parked', reason: 'the run has no such suite' };
  const detailsUrl = reading.report.detailsUrl;
  const { found, last } = await findCheck(row, subject, client, writing.appId);
  const { externalId } = subject;
  if (found !== null) return await updateCheck({ found, wanted, client, writing, detailsUrl, externalId });
  if (!isToAppear(presenceOf(subject, reading), last)) return { state: 'done', externalId: null };
  return await writing.alone(`check:${client.owner}/${client.repo}:${subject.headSha}`, async () => {
    const created = await writing.write(async () => {
      // Somebody else may have created it while we waited.
      const { found: other } = await findCheck(row, subject, client, writing.appId);
      if (other !== null) return other;
      const answer = await client.request('POST /repos/{owner}/{repo}/check-runs', {
        owner: client.owner,
        repo: client.repo,
        name: subject.name,
        head_sha: subject.headSha,
        external_id: subject.externalId,
        ...(detailsUrl === null ? {} : { details_url: detailsUrl }),
        status: 'in_progress' as const,
        output: { title: wanted.title, summary: wanted.summary },
      });
      return CheckRun.parse(answer.data);
    });
    return await updateCheck({ found: created, wanted, client, writing, detailsUrl, externalId });
  });
}

function wantedCheck(subject: CheckSubject, reading: RunReading): CheckOutput | null {
  if (subject.suiteId === null) return aggregateCheck(reading.report);
  const suite = reading.report.suites[reading.suiteIds.indexOf(subject.suiteId)];
  return suite === undefined ? null : { ...suiteCheck(reading.report, suite), buttons: suiteButtons(suite) };
}

function presenceOf({ suiteId }: CheckSubject, { report, suiteIds }: RunReading): CheckPresence {
  return suiteId === null ? 'shown' : (checkPresences(report)[suiteIds.indexOf(suiteId)] ?? 'hidden');
}

const isToAppear = (presence: CheckPresence, last: CheckRun | null): boolean =>
  presence === 'shown' || (presence === 'after-red' && last !== null && !isGreen(last.conclusion));

interface Found {
  found: CheckRun | null;
  /** The newest of the same name on the commit. */
  last: CheckRun | null;
}

async function findCheck(
  row: FeedbackRow,
  subject: CheckSubject,
  client: RepositoryClient,
  appId: number,
): Promise<Found> {
  if (row.externalId !== null) {
    const found = await readCheck(client, Number(row.externalId));
    return { found, last: found };
  }
  const all = await listChecks(client, subject, appId);
  // What was shown before there was a run becomes the check of the run: it would else wait for ever beside it.
  const standsIn = (one: CheckRun) => one.external_id === standInId(subject) && one.status !== 'completed';
  const found = all.find((one) => one.external_id === subject.externalId) ?? all.find(standsIn) ?? null;
  return { found, last: all.toSorted((a, b) => b.id - a.id)[0] ?? null };
}

/** All check runs of the App on a commit that have this name. */
export async function listChecks(
  { owner, repo, request }: RepositoryClient,
  { headSha, name }: Pick<CheckSubject, 'headSha' | 'name'>,
  appId: number,
): Promise<CheckRun[]> {
  return await listPages(async (page, perPage) => {
    const answer = await request('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {
      owner,
      repo,
      ref: headSha,
      check_name: name,
      app_id: appId,
      filter: 'all' as const,
      per_page: perPage,
      page,
    });
    return z.object({ check_runs: z.array(CheckRun) }).parse(answer.data).check_runs;
  });
}

async function readCheck({ owner, repo, request }: RepositoryClient, id: number): Promise<CheckRun> {
  const answer = await request('GET /repos/{owner}/{repo}/check-runs/{check_run_id}', {
    owner,
    repo,
    check_run_id: id,
  });
  return CheckRun.parse(answer.data);
}

interface Update {
  found: CheckRun;
  wanted: CheckOutput;
  client: RepositoryClient;
  writing: Writing;
  detailsUrl: string | null;
  externalId: string;
}

async function updateCheck({
  found,
  wanted,
  client,
  writing,
  detailsUrl,
  externalId,
}: Update): Promise<DeliveryResult> {
  const { status, conclusion, output } = found;
  const shown = { title: output.title, summary: output.summary, text: output.text ?? null };
  const annotationsCount = output.annotations_count;
  const isCompleted = status === 'completed';
  let known = annotationsCount;
  const send = (change: CheckWrite) =>
    writing.write(async () => {
      const now = await readCheck(client, found.id);
      // What was appended since by another replica must not be appended again.
      if (now.output.annotations_count > known || (!isCompleted && now.status === 'completed')) return false;
      await client.request('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', {
        owner: client.owner,
        repo: client.repo,
        check_run_id: found.id,
        ...(found.external_id === externalId ? {} : { external_id: externalId }),
        ...(detailsUrl === null ? {} : { details_url: detailsUrl }),
        ...change,
      });
      return true;
    });
  for (const change of checkWrites({ isCompleted, conclusion, ...shown, annotationsCount }, wanted)) {
    const sent = await sendOrDegrade(send, [change, ...poorerWrites(change)]);
    if (sent === null) return { state: 'retry', reason: 'another replica writes this check', afterMs: 0 };
    known += sent.output.annotations?.length ?? 0;
  }
  return { state: 'done', externalId: String(found.id) };
}

/**
 * Sends the first of these that GitHub takes; what it has refused once is never sent again. Null: somebody else has written
 * in the meantime.
 */
async function sendOrDegrade(
  send: (change: CheckWrite) => Promise<boolean>,
  [change, ...poorer]: readonly CheckWrite[],
): Promise<CheckWrite | null> {
  if (change === undefined) throw new Error('there is a write to begin with');
  try {
    return (await send(change)) ? change : null;
  } catch (error) {
    const isRefused = error instanceof Error && 'status' in error && error.status === 422;
    if (!isRefused || poorer.length === 0) throw error;
    return await sendOrDegrade(send, poorer);
  }
}
