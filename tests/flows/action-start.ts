import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { listen } from '../stack/listen.ts';
import { bundle, makeStep, pullRequestEvent, suite } from './action-job.ts';

/** What a process has used when a request of it arrives. Linux only. */
export interface Usage {
  wallMs: number;
  /** Of all its threads on processors, in the hundredths of a second in which Linux counts. */
  cpuMs: number;
  rssMb: number;
}

export interface Start {
  /** An empty bundle that asks at once. */
  empty: Usage;
  /** The Action at its first request, which asks GitHub what changed. */
  first: Usage;
  /** The Action at its first request for the coordinator: every file is read and reviewed by now. */
  coordinator: Usage;
}

const suites = 20;
const casesOfSuite = 12;

/** The Action on a pull request with 20 suites of 12 cases, each start of it beside one of an empty bundle. */
export async function measureStarts(times: number): Promise<Start[]> {
  const [head = '', oneCase = ''] = suite.split(/(?<=cases:\n)/);
  const cases = Array.from({ length: casesOfSuite }, (_, at) =>
    oneCase.replace('Business hours', `Business hours ${at}`),
  );
  const text = head + cases.join('');
  const names = Array.from({ length: suites }, (_, at) => `Suite ${at}`);
  const files = names.map((name, at) => [`evals/s${at}.suite.yaml`, text.replace('Support agent', name)]);
  const step = { eventName: 'pull_request', payload: pullRequestEvent(), files: Object.fromEntries(files) };
  const { environment, temp } = await makeStep(step);
  const emptyBundle = join(temp, 'empty.mjs');
  await writeFile(emptyBundle, 'await fetch(process.env.GITHUB_API_URL);');
  const starts: Start[] = [];
  for (let time = 0; time < times; time += 1) {
    const [empty] = await usageAtRequests(emptyBundle, environment, '/');
    const [first, ...later] = await usageAtRequests(bundle('index'), environment, '/oidc');
    const coordinator = later.at(-1);
    if (empty === undefined || first === undefined || coordinator === undefined) throw new Error('too few requests');
    starts.push({ empty, first, coordinator });
  }
  return starts;
}

/** At each request up to the one for `last`, which is never answered; GitHub knows nothing. */
async function usageAtRequests(script: string, environment: Record<string, string>, last: string): Promise<Usage[]> {
  const usages: Usage[] = [];
  const seen = Promise.withResolvers<void>();
  let start = 0;
  const server = createServer((request, response) => {
    const wallMs = performance.now() - start;
    void usageOf(child.pid ?? 0).then((usage) => {
      usages.push({ wallMs, ...usage });
      if (request.url?.split('?')[0] === last) seen.resolve();
      else response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"Not Found"}');
    }, seen.reject);
  });
  const { origin, close } = await listen(server);
  start = performance.now();
  const child = spawn(process.execPath, [script], {
    env: {
      ...environment,
      GITHUB_API_URL: origin,
      INPUT_COORDINATOR: origin,
      ACTIONS_ID_TOKEN_REQUEST_URL: `${origin}/oidc?v=1`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request-token',
    },
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  await Promise.race([seen.promise, exited]);
  child.kill('SIGKILL');
  await exited;
  await close();
  return usages;
}

async function usageOf(pid: number): Promise<Omit<Usage, 'wallMs'>> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name, in parentheses, may hold anything; what follows it is numbers from field 3 on.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[14 - 3]) + Number(fields[15 - 3]);
  const memory = await readFile(`/proc/${pid}/status`, 'utf8');
  return { cpuMs: ticks * 10, rssMb: Number(/^VmRSS:\s+(\d+) kB$/m.exec(memory)?.[1] ?? Number.NaN) / 1024 };
}
