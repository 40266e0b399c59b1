import { isDeepStrictEqual } from 'node:util';
import { aggregateCheck, type CheckOutput, suiteButtons, suiteCheck } from '@proofmark/domain/check-output';
import { type CheckWrite, checkWrites, poorerWrites } from '@proofmark/domain/check-update';
import { type CheckPresence, checkPresences, isGreen } from '@proofmark/domain/wanted-checks';
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
  read: () => Promise<RunReading | null>,
  writing: Writing,
): Promise<DeliveryResult> {
  const subject = CheckSubject.parse(row.subject);
  const reading = await read();
  if (reading === null) return { state: 'parked', reason: 'the run no longer exists' };
  const wanted = wantedCheck(subject, reading);
  if (wanted === null) return { state: 'parked', reason: 'the run has no such suite' };
  const { found, last } = await findCheck(row, subject, client.ask, writing.appId);
  const again = async () => {
    const now = await read();
    return now && wantedCheck(subject, now);
  };
  const update = { wanted, again, subject, client, writing, detailsUrl: reading.report.detailsUrl };
  if (found !== null) return await updateCheck({ ...update, found });
  if (!isToAppear(presenceOf(subject, reading), last)) return { state: 'done', externalId: null };
  const created = await writing.alone(lockOf(subject, client), () =>
    writing.write(async () => {
      // Somebody else may have created it while we waited.
      const { found: other } = await findCheck(row, subject, client.ask, writing.appId);
      if (other !== null) return other;
      return await createCheck(client.ask, {
        name: subject.name,
        head_sha: subject.headSha,
        external_id: subject.externalId,
        ...(update.detailsUrl === null ? {} : { details_url: update.detailsUrl }),
        status: 'in_progress',
        output: { title: wanted.title, summary: wanted.summary },
      });
    }),
  );
  return await updateCheck({ ...update, found: created });
}

const lockOf = ({ headSha }: CheckSubject, { owner, repo }: RepositoryClient): string =>
  `check:${owner}/${repo}:${headSha}`;

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
  /** What is wanted by now. */
  again: () => Promise<CheckOutput | null>;
  subject: CheckSubject;
  client: RepositoryClient;
  writing: Writing;
  detailsUrl: string | null;
}

/** A check that is wanted otherwise each time that it was written has to wait for its next turn. */
const mostRounds = 3;

/**
 * Writes, and looks at the database once more: whoever was paused before a write has just written what held then, over
 * what others have written since.
 */
async function updateCheck(update: Update): Promise<DeliveryResult> {
  let { found, wanted } = update;
  for (let round = 0; round < mostRounds; round += 1) {
    const writes = checkWrites(found, wanted);
    for (const change of writes) {
      const after = await sendOrDegrade(update, found, [change, ...poorerWrites(change)]);
      if (after === null) return { state: 'retry', reason: 'another replica writes this check', afterMs: 0 };
      found = after;
    }
    const next = writes.length === 0 ? wanted : await update.again();
    if (next === null || isDeepStrictEqual(next, wanted)) return { state: 'done', externalId: String(found.id) };
    wanted = next;
  }
  return { state: 'retry', reason: 'the check changes while it is written', afterMs: 1_000 };
}

/**
 * Sends the first of these that GitHub takes; what it has refused once is never sent again. Null: somebody else has written
 * in the meantime.
 */
async function sendOrDegrade(
  update: Update,
  found: ShownCheck,
  [change, ...poorer]: readonly CheckWrite[],
): Promise<ShownCheck | null> {
  if (change === undefined) throw new Error('there is a write to begin with');
  const { subject, client, writing } = update;
  try {
    const write = () => writing.write(() => send(update, found, change));
    // Remarks append: of two writers both would stay, and nobody can take one back.
    return await (change.output.annotations === undefined ? write() : writing.alone(lockOf(subject, client), write));
  } catch (error) {
    const isRefused = error instanceof Error && 'status' in error && error.status === 422;
    if (!isRefused || poorer.length === 0) throw error;
    return await sendOrDegrade(update, found, poorer);
  }
}

async function send(
  { subject, client, detailsUrl }: Update,
  found: ShownCheck,
  change: CheckWrite,
): Promise<ShownCheck | null> {
  const now = await readCheck(client.ask, found.id);
  const isEnded = !found.isCompleted && now.isCompleted;
  // What was appended since by another replica must not be appended again.
  if (now.annotationsCount > found.annotationsCount || isEnded) return null;
  return await changeCheck(client.ask, found.id, {
    ...(found.externalId === subject.externalId ? {} : { external_id: subject.externalId }),
    ...(detailsUrl === null ? {} : { details_url: detailsUrl }),
    ...change,
  });
}
