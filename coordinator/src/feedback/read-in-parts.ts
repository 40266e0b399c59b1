import type { RunReport } from '@proofmark/domain/run-report';
import type { Kysely } from 'kysely';
import { type Database, inTenant } from '../database/transactions.ts';
import {
  type CommentQuestion,
  type CommentReading,
  type CommentRuns,
  commentOf,
  idsOf,
  readCommentRuns,
} from './read-comment-report.ts';
import { type Places, readReportsOf, readRunReports, readSources, reportSizes } from './read-run-report.ts';

/** A run that somebody wants to be told whole. */
export interface RunToTell {
  runId: string;
  /** The comment that it shares with the other jobs of its commit; null: there is none, or nobody asks for it. */
  comment: CommentQuestion | null;
}

export interface RunAsRead {
  report: RunReport;
  /** Null where none was asked for, and where there is no result that it could be about. */
  together: CommentReading | null;
}

/** Of the verdicts and cases that are held at once, as Postgres has them unpacked. As reports they are several times as long. */
const mostBytes = 8_000_000;

/** Of one of the runs: whose reports it is told with, and which runs those are put together from. */
interface Reading<Asked> {
  asked: Asked;
  comment: CommentRuns | null;
  reports: ReadonlySet<string>;
  sources: ReadonlySet<string>;
}

/**
 * The runs in their order, null for one that is gone, read as many at a time as have room together: whoever takes one after the
 * other never holds them all. A run that has no room beside others is read alone, however long. Ends before the next part where
 * nobody waits any more.
 */
export async function* readInParts<Asked extends RunToTell>(
  database: Database,
  tenantId: string,
  asked: readonly Asked[],
  { signal, ...places }: Places & { signal: AbortSignal },
): AsyncGenerator<{ asked: Asked; read: RunAsRead | null }> {
  const questions = asked.flatMap(({ comment }) => comment ?? []);
  const { comments, sources, sizes } = await inTenant(database, tenantId, async (em) => {
    const tx: Kysely<unknown> = em.getKysely();
    const runs = await readCommentRuns(tx, questions);
    const found = await readSources(tx, [...new Set([...asked.map(({ runId }) => runId), ...idsOf(runs, 'shown')])]);
    return {
      comments: new Map(questions.map((question, at) => [question, runs[at] ?? null])),
      sources: found,
      sizes: asked.length === 1 ? new Map<string, number>() : await reportSizes(tx, [...found.values()].flat()),
    };
  });
  const sourcesOf = (id: string) => sources.get(id) ?? [];
  const readings = asked.map((one): Reading<Asked> => {
    const comment = one.comment && (comments.get(one.comment) ?? null);
    const reports = new Set([one.runId, ...(comment?.shown ?? []).map(({ id }) => id)]);
    return { asked: one, comment, reports, sources: new Set([...reports].flatMap(sourcesOf)) };
  });
  for (const part of inParts(readings, sizes)) {
    if (signal.aborted) return;
    const ids = new Set(part.flatMap(({ reports }) => [...reports]));
    const told = part.flatMap(({ comment }) => comment ?? []);
    const { reports, elsewhere } = await inTenant(database, tenantId, async (em) => ({
      reports: await readReportsOf(em.getKysely(), new Map([...ids].map((id) => [id, sourcesOf(id)])), places),
      elsewhere: await readRunReports(em.getKysely(), idsOf(told, 'elsewhere'), places, { isBrief: true }),
    }));
    for (const { asked: one, comment } of part) {
      const report = reports.get(one.runId)?.report;
      const together = comment && commentOf(comment, reports, elsewhere);
      yield { asked: one, read: report === undefined ? null : { report, together } };
    }
  }
}

/** A run that several readings need takes its room once. */
function inParts<Asked>(readings: readonly Reading<Asked>[], sizes: ReadonlyMap<string, number>): Reading<Asked>[][] {
  const bytesOf = (ids: ReadonlySet<string>) => [...ids].reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0);
  const parts: Reading<Asked>[][] = [];
  let held = new Set<string>();
  let left = 0;
  for (const reading of readings) {
    if (bytesOf(reading.sources.difference(held)) > left || parts.length === 0) {
      parts.push([]);
      held = new Set();
      left = mostBytes;
    }
    parts.at(-1)?.push(reading);
    left -= bytesOf(reading.sources.difference(held));
    held = held.union(reading.sources);
  }
  return parts;
}
