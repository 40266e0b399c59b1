import { error, getInput, notice, saveState, setOutput, setSecret, warning } from '@actions/core';
import { decideExit, type JobEnding } from './job/decide-exit.ts';
import { type JobEnvironment, proxiedEnvironment, readJobEnvironment } from './job/environment.ts';
import { readInputs } from './job/inputs.ts';
import { interruptiblePause, type Job, maskSecret, type Remark, writeOutputs } from './job/job.ts';
import { runThroughProxy } from './job/run-through-proxy.ts';
import { summarizeEnding } from './report/show-report.ts';
import { runJob } from './run/run-job.ts';

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());

const outputs: Job['outputs'] = {};
const remarks: Remark[] = [];
const openJob = (environment: JobEnvironment): Job => ({
  environment,
  write: (line) => void process.stdout.write(`${line}\n`),
  remark: (one) => {
    remarks.push(one);
    remark(one);
  },
  mask: (secret) => maskSecret(secret, setSecret),
  saveState,
  outputs,
  now: Date.now,
  random: Math.random,
  pause: interruptiblePause(interrupted.signal),
  signal: interrupted.signal,
});

const proxied = proxiedEnvironment();
if (proxied === null) await main();
else process.exitCode = await runThroughProxy(proxied);

async function main(): Promise<void> {
  const told = readJobEnvironment();
  const job = told.ok ? openJob(told.environment) : null;
  tellProblems(told);
  try {
    process.exitCode = await run(job);
  } catch (thrown) {
    // A bug of ours or a broken runner: the only place where the Action catches everything.
    const message = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    (job?.remark ?? remark)({ level: 'error', message });
    process.exitCode = 1;
  } finally {
    if (job !== null) await summarizeEnding(remarks, job);
    writeOutputs(outputs, setOutput);
  }
}

function tellProblems(told: ReturnType<typeof readJobEnvironment>): void {
  if (!told.ok) for (const problem of told.problems) error(`Environment variable ${problem}`);
  if (!told.ok) return;
  for (const problem of told.untraced) warning(`This job is not traced: environment variable ${problem}`);
  const { endpoint, problem } = told.environment.tracing;
  if (endpoint !== undefined && problem !== null) warning(`Environment variable ${problem}`);
}

async function run(job: Job | null): Promise<0 | 1> {
  const read = readInputs((name) => getInput(name));
  if (!read.ok)
    for (const message of read.messages) (job?.remark ?? remark)({ level: 'error', message: `Input ${message}` });
  if (!read.ok || job === null) return 1;
  const { inputs } = read;
  for (const name of ['api-token', 'github-token'] as const) {
    const token = inputs[name];
    if (token !== null) job.mask(token);
  }
  const ending: JobEnding = await runJob(inputs, job);
  const reportMode = job.outputs['report-mode'] || 'summary';
  return decideExit(ending, { failOn: inputs['fail-on'], onError: inputs['on-error'], reportMode });
}

function remark({ level, message, title, file, line }: Remark): void {
  const place = {
    ...(title === undefined ? {} : { title }),
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { startLine: line }),
  };
  if (level === 'error') error(message, place);
  else if (level === 'warning') warning(message, place);
  else notice(message, place);
}
