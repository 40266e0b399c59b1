import { suiteButtons } from '@proofmark/domain/check-buttons';
import { aggregateCheck, type CheckOutput, suiteCheck } from '@proofmark/domain/check-output';
import { type CheckPresence, checkPresences, isGreen } from '@proofmark/domain/check-presence';
import { type CheckWrite, checkWrites, poorerWrites } from '@proofmark/domain/check-update';
import { type Ask, changeCheck, createCheck, listChecks, readCheck, type ShownCheck } from '@proofmark/process/github';
import { CheckSubject, type DeliveryResult, type FeedbackRow, standInId } from './feedback-port.ts';
import type { RepositoryClient } from './github-app.ts';
import type { RunReading } from './read-run-report.ts';

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
  const { found, last } = await findCheck(row, subject, client.ask, writing.appId);
  const { externalId } = subject;
  if (found !== null) return await updateCheck({ found, wanted, client, writing, detailsUrl, externalId });
  if (!isToAppear(presenceOf(subject, reading), last)) return { state: 'done', externalId: null };
  return await writing.alone(`check:${client.owner}/${client.repo}:${subject.headSha}`, async () => {
    const created = await writing.write(async () => {
      // Somebody else may have created it while we waited.
      const { found: other } = await findCheck(row, subject, client.ask, writing.appId);
      if (other !== null) return other;
      return await createCheck(client.ask, {
        name: subject.name,
        head_sha: subject.headSha,
        external_id: subject.externalId,
        ...(detailsUrl === null ? {} : { details_url: detailsUrl }),
        status: 'in_progress',
        output: { title: wanted.title, summary: wanted.summary },
      });
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

const isToAppear = (presence: CheckPresence, last: ShownCheck | null): boolean =>
  presence === 'shown' || (presence === 'after-red' && last !== null && !isGreen(last.conclusion));

interface Found {
  found: ShownCheck | null;
  /** The newest of the same name on the commit. */
  last: ShownCheck | null;
}

async function findCheck(row: FeedbackRow, subject: CheckSubject, ask: Ask, appId: number): Promise<Found> {
  if (row.externalId !== null) {
    const found = await readCheck(ask, Number(row.externalId));
    return { found, last: found };
  }
  const all = await listChecks(ask, { ...subject, appId });
  // What was shown before there was a run becomes the check of the run: it would else wait for ever beside it.
  const standsIn = (one: ShownCheck) => one.externalId === standInId(subject) && !one.isCompleted;
  const found = all.find((one) => one.externalId === subject.externalId) ?? all.find(standsIn) ?? null;
  return { found, last: all[0] ?? null };
}

interface Update {
  found: ShownCheck;
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
  let known = found.annotationsCount;
  const send = (change: CheckWrite) =>
    writing.write(async () => {
      const now = await readCheck(client.ask, found.id);
      // What was appended since by another replica must not be appended again.
      if (now.annotationsCount > known || (!found.isCompleted && now.isCompleted)) return false;
      await changeCheck(client.ask, found.id, {
        ...(found.externalId === externalId ? {} : { external_id: externalId }),
        ...(detailsUrl === null ? {} : { details_url: detailsUrl }),
        ...change,
      });
      return true;
    });
  for (const change of checkWrites(found, wanted)) {
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
