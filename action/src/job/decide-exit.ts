import type { Conclusion } from '@proofmark/contracts/verdict';
import type { Outcome } from '@proofmark/domain/run-report';
import type { Inputs } from './inputs.ts';

/** Who writes checks and comments: the coordinator, this job, or nobody. */
export type ReportMode = 'app' | 'token' | 'summary';

/** How the job came to its end. */
export type JobEnding =
  /** An event that must not run, or inputs that mean nothing. */
  | { kind: 'refused' }
  | { kind: 'nothing' }
  /** No suite, invalid definitions, no credentials, a coordinator that refuses. */
  | { kind: 'trouble' }
  | { kind: 'unreachable' }
  /** The job did not wait for the end of the run. */
  | { kind: 'pending'; isWanted: boolean }
  | { kind: 'ended'; outcome: Outcome; conclusion: Conclusion | null };

interface ExitSettings {
  failOn: Inputs['fail-on'];
  onError: Inputs['on-error'];
  reportMode: ReportMode;
}

const levels = ['never', 'error', 'failure', 'neutral'] as const;
type Level = (typeof levels)[number];

/** 1 is the only exit code that is not 0. Trouble with reporting, superseded and cancelled runs never make a job red. */
export function decideExit(ending: JobEnding, { failOn, onError, reportMode }: ExitSettings): 0 | 1 {
  const auto = reportMode === 'app' ? 'error' : 'failure';
  const level = levels.indexOf(failOn === 'auto' ? auto : failOn);
  const needed = neededLevel(ending, onError, reportMode);
  return needed !== null && level >= levels.indexOf(needed) ? 1 : 0;
}

/** The mildest setting of `fail-on` under which this ending is red; null: under none. */
function neededLevel(ending: JobEnding, onError: ExitSettings['onError'], reportMode: ReportMode): Level | null {
  switch (ending.kind) {
    case 'refused':
      return 'never';
    case 'nothing':
      return null;
    case 'trouble':
      return 'error';
    case 'unreachable':
      return onError === 'allow' ? null : 'error';
    case 'pending':
      return ending.isWanted || reportMode === 'app' ? null : 'error';
    case 'ended':
      return levelOfConclusion(ending);
  }
}

function levelOfConclusion({ outcome, conclusion }: Extract<JobEnding, { kind: 'ended' }>): Level | null {
  if (outcome === 'invalid') return 'error';
  if (conclusion === 'failure' || conclusion === 'timed_out') return 'failure';
  return conclusion === 'neutral' ? 'neutral' : null;
}
