import { type CheckOutput, plainSummary, suiteCheck } from '@proofmark/domain/check-output';
import { commentBody, summaryMarkdown } from '@proofmark/domain/comment';
import { type WantedComment, wantedComment } from '@proofmark/domain/comment-update';
import { headline, sortWorstFirst, worstCell } from '@proofmark/domain/outcome';
import { type WantedCheck, wantedChecks } from '@proofmark/domain/wanted-checks';
import { z } from 'zod';
import { type Database, inTenant } from '../../database/connect.ts';
import { type CommentQuestion, readCommentReport } from '../../feedback/read-comment-report.ts';
import { readRunReport } from '../../feedback/read-run-report.ts';
import type { RunView } from './run-view.ts';

export type Annotation = CheckOutput['annotations'][number];

export interface RunFeedback {
  outcome: string;
  headline: string;
  markdown: string;
  comment: string;
  text: string;
  costUsd: number | null;
  suitesTotal: number;
  suitesAffected: number;
  annotations: Annotation[];
  checks: WantedCheck[];
  wantedComment: WantedComment | null;
}

const Settings = z.object({
  checkName: z.string().catch('proofmark'),
  commentKey: z.string().catch('pr'),
});

type FeedbackPorts = { database: Database; publicUrl: string; forgeUrl: string };

/** What checks and comment of a run say, for whoever shows it elsewhere. Throws for a run that does not exist. */
export async function readRunFeedback(
  { database, publicUrl, forgeUrl }: FeedbackPorts,
  tenantId: string,
  run: RunView,
): Promise<RunFeedback> {
  const { checkName, commentKey } = Settings.parse(run.settings ?? {});
  const { reading, together } = await inTenant(database, tenantId, async (em) => {
    const question = questionOf(run, commentKey);
    return {
      reading: await readRunReport(em.getKysely(), run.id, publicUrl, forgeUrl),
      together: question && (await readCommentReport(em.getKysely(), question, { publicUrl, serverUrl: forgeUrl })),
    };
  });
  if (reading === null) throw new Error(`run ${run.id} vanished while it was read`);
  const { report } = reading;
  const outcomes = report.suites.map((suite) => worstCell(suite).outcome);
  const affected = outcomes.filter((outcome) => outcome !== 'unaffected');
  return {
    outcome: sortWorstFirst(outcomes, (outcome) => outcome)[0] ?? 'unaffected',
    headline: headline(report),
    markdown: summaryMarkdown(report),
    comment: commentBody(together?.report ?? report, commentKey),
    text: plainSummary(report),
    costUsd: report.costUsd,
    suitesTotal: outcomes.length,
    suitesAffected: affected.length,
    annotations: report.suites.flatMap((suite) => suiteCheck(report, suite).annotations),
    checks: wantedChecks(report, { checkName, runId: run.id }),
    wantedComment: together && wantedComment(together.report, commentKey, together.mode),
  };
}

/** The comment that the run shares with the other jobs of its commit; null where it is about no pull request. */
function questionOf(run: RunView, commentKey: string): CommentQuestion | null {
  const { host, externalId, pullRequest, headSha } = run;
  if (host === null || externalId === null || pullRequest === null || headSha === null) return null;
  return { host, externalId, pullRequest, commentKey, headSha };
}
