import { openForge } from '../forge/open-forge.ts';
import type { Inputs } from '../job/inputs.ts';
import type { Job } from '../job/job.ts';
import type { JobTrigger } from '../job/read-event.ts';
import { type Reporter, silentReporter, tokenReporter } from './reporter.ts';

interface ReportOptions {
  inputs: Pick<Inputs, 'report' | 'github-token'>;
  trigger: JobTrigger;
  /** Whether the coordinator writes as the App; null when cases run inside the job. */
  hasApp: boolean | null;
  /** The page that checks lead to. */
  detailsUrl: string;
}

/** Who writes checks and comment: the first that is possible of what the input asks for. */
export async function openReporter(options: ReportOptions, job: Job): Promise<Reporter> {
  const { inputs, hasApp } = options;
  const { report } = inputs;
  if (hasApp === true) {
    if (report === 'token') warn(job, 'report: token has no effect: the Proofmark App writes already.');
    return silentReporter(report === 'summary' ? 'summary' : 'app');
  }
  if (report === 'app') {
    warn(job, `report: app is not possible, the result is in the summary of this job: ${whyNoApp(hasApp)}`);
  }
  return report === 'app' || report === 'summary' ? silentReporter('summary') : await writingReporter(options, job);
}

async function writingReporter(options: ReportOptions, job: Job): Promise<Reporter> {
  const { inputs, trigger, hasApp, detailsUrl } = options;
  // GitHub gives jobs of forks and of Dependabot a token that writes nothing: not even tried.
  if (trigger.withoutSecrets !== null) return silentReporter('summary');
  const forge = await openForge(inputs['github-token'], job);
  if (forge === null) {
    if (inputs.report === 'token') warn(job, 'report: token needs the input github-token.');
    return silentReporter('summary');
  }
  const { headSha, pullRequest } = trigger;
  const permissions = hasApp === null ? withToken : [...withToken, 'id-token: write'];
  const instead = hasApp === null ? '' : '\nOr install the Proofmark App, which needs none but contents and id-token.';
  return tokenReporter({ forge, headSha, pullRequest, detailsUrl, permissions, instead }, job);
}

const withToken = ['contents: read', 'checks: write', 'pull-requests: write'];

function whyNoApp(hasApp: boolean | null): string {
  return hasApp === null ? 'it needs a coordinator.' : 'the Proofmark App is not installed on this repository.';
}

function warn({ remark }: Job, message: string): void {
  remark({ level: 'warning', message });
}
