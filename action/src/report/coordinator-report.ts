import type { CoordinatorClient } from '@proofmark/client/coordinator-client';
import type { Conclusion } from '@proofmark/contracts/verdict';
import type { WantedCheck } from '@proofmark/domain/wanted-checks';
import type { Inputs } from '../job/inputs.ts';
import { foreignLine, type Job } from '../job/job.ts';
import type { Rendering, Reporter } from './reporter.ts';
import { progressClock } from './reporter.ts';

/** Writes what a coordinator without an App has rendered. */
export interface CoordinatorReport {
  begin: () => Promise<void>;
  /** Asked often; writes the aggregate alone, and only a few times. */
  progress: () => Promise<void>;
  end: () => Promise<void>;
  /** Nobody will complete the checks later, so they end here; null: as `on-error` wants it. */
  giveUp: (conclusion: Conclusion | null, title: string) => Promise<void>;
}

interface ReportedRun {
  reporter: Reporter;
  client: Pick<CoordinatorClient, 'runFeedback'>;
  runId: string;
  onError: Inputs['on-error'];
}

export function coordinatorReport({ reporter, client, runId, onError }: ReportedRun, job: Job): CoordinatorReport {
  const clock = progressClock(job.now);
  let known: readonly WantedCheck[] = [];
  /** False: the coordinator does not say how they should look. */
  const show = async (choose: (rendering: Rendering) => Rendering): Promise<boolean> => {
    if (reporter.mode() !== 'token') return true;
    const sent = await client.runFeedback(runId);
    if (!sent.ok || sent.answer === null) {
      const reason = sent.ok ? 'the run is gone' : sent.error.message;
      job.remark({ level: 'warning', message: `The checks cannot be read: ${foreignLine(reason)}` });
      return false;
    }
    known = sent.answer.checks;
    await reporter.show(choose(sent.answer));
    return true;
  };
  const giveUp: CoordinatorReport['giveUp'] = async (given, title) => {
    const open = known.filter(({ output }) => output.conclusion === null);
    const conclusion = given ?? (onError === 'allow' ? 'neutral' : 'failure');
    const output = { conclusion, title, summary: title, text: '', annotations: [] };
    await reporter.show({ checks: open.map((check) => ({ ...check, output })), comment: null });
  };
  return {
    begin: async () => void (await show(({ checks }) => ({ checks, comment: null }))),
    progress: async () => {
      if (clock.isDue()) await show(({ checks }) => ({ checks: checks.slice(0, 1), comment: null }));
    },
    end: async () => {
      if (!(await show((rendering) => rendering))) await giveUp(null, 'No verdict: the result cannot be read');
    },
    giveUp,
  };
}
