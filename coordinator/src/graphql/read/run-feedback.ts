import { type CheckOutput, plainSummary, suiteCheck } from '@proofmark/domain/check-output';
import { commentBody, summaryMarkdown } from '@proofmark/domain/comment';
import { commentModes } from '@proofmark/domain/comment-policy';
import { type WantedComment, wantedComment } from '@proofmark/domain/comment-update';
import { headline, sortWorstFirst, worstCell } from '@proofmark/domain/outcome';
import { type WantedCheck, wantedChecks } from '@proofmark/domain/wanted-checks';
import { z } from 'zod';
import { type Database, inTenant } from '../../database/connect.ts';
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
  comment: z.enum(commentModes).catch('changes'),
  commentKey: z.string().catch('pr'),
});

type FeedbackPorts = { database: Database; publicUrl: string; forgeUrl: string };

/** What checks and comment of a run say, for whoever shows it elsewhere. Throws for a run that does not exist. */
export async function readRunFeedback(
  { database, publicUrl, forgeUrl }: FeedbackPorts,
  tenantId: string,
  run: RunView,
): Promise<RunFeedback> {
  const { checkName, comment: commentMode, commentKey } = Settings.parse(run.settings ?? {});
  const reading = await inTenant(database, tenantId, (em) =>
    readRunReport(em.getKysely(), run.id, publicUrl, forgeUrl),
  );
  if (reading === null) throw new Error(`run ${run.id} vanished while it was read`);
  const { report } = reading;
  const outcomes = report.suites.map((suite) => worstCell(suite).outcome);
  const affected = outcomes.filter((outcome) => outcome !== 'unaffected');
  return {
    outcome: sortWorstFirst(outcomes, (outcome) => outcome)[0] ?? 'unaffected',
    headline: headline(report),
    markdown: summaryMarkdown(report),
    comment: commentBody(report, commentKey),
    text: plainSummary(report),
    costUsd: report.costUsd,
    suitesTotal: outcomes.length,
    suitesAffected: affected.length,
    annotations: report.suites.flatMap((suite) => suiteCheck(report, suite).annotations),
    checks: wantedChecks(report, { checkName, runId: run.id }),
    wantedComment: wantedComment(report, commentKey, commentMode),
  };
}
