import { wantedComment } from '@proofmark/domain/comment-update';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';
import type { RunReport } from '@proofmark/domain/run-report';
import { wantedChecks } from '@proofmark/domain/wanted-checks';
import type { TestRunFinished } from '@proofmark/embedded/test-run-finished';
import type { Inputs } from '../job/inputs.ts';
import type { Job } from '../job/job.ts';
import { type RunFacts, runningReport } from './embedded-report.ts';
import type { Rendering, Reporter } from './reporter.ts';
import { type ProgressClock, progressClock } from './reporter.ts';

/** Tells how far a run inside this job has come: in the log, and on the aggregate check. */
export interface ProgressReport {
  begin: (planned: readonly PlannedSuiteRun[]) => void;
  finished: (event: TestRunFinished) => void;
  /** When everything that was told so far is written. */
  settled: () => Promise<void>;
  renderingOf: (run: RunReport) => Rendering;
}

interface ProgressOptions {
  reporter: Reporter;
  inputs: Pick<Inputs, 'check-name' | 'comment' | 'comment-key'>;
  facts: RunFacts;
}

/** Checks are written one after another beside the cases, which never wait for them. */
export function reportProgress({ reporter, inputs, facts }: ProgressOptions, job: Job): ProgressReport {
  const clock: ProgressClock = progressClock(job.now);
  const done = new Map<string, number>();
  let planned: readonly PlannedSuiteRun[] = [];
  let queue = Promise.resolve();
  let shownMs = job.now();
  const tell = (rendering: Rendering) => {
    queue = queue.then(() => reporter.show(rendering));
  };
  const renderingOf = (run: RunReport): Rendering => ({
    checks: wantedChecks(run, { checkName: inputs['check-name'], runId: facts.runId }),
    comment: wantedComment(run, inputs['comment-key'], inputs.comment),
  });
  return {
    renderingOf,
    settled: () => queue,
    begin: (suiteRuns) => {
      planned = suiteRuns;
      tell(renderingOf(runningReport(facts, planned, done)));
    },
    finished: (event) => {
      done.set(event.suiteName, (done.get(event.suiteName) ?? 0) + 1);
      // Not more often than a run on a coordinator would print one.
      if (event.done === event.total || job.now() - shownMs >= job.environment.pollMs) {
        shownMs = job.now();
        job.write(`${event.done}/${event.total} test runs`);
      }
      if (!clock.isDue()) return;
      const { checks } = renderingOf(runningReport(facts, planned, done));
      tell({ checks: checks.slice(0, 1), comment: null });
    },
  };
}
