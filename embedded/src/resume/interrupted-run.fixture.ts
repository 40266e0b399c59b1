import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { parseReports } from '@proofmark/domain/parse-report';
import type { RunRequest } from '@proofmark/domain/plan-run';
import { withoutTimes } from '@proofmark/domain/without-times';
import { collectDefinitions } from '../definitions/collect-definitions.ts';
import { readModelKeys } from '../environment.ts';
import { type EmbeddedRun, type EmbeddedRunInput, runEmbedded } from '../run/run-embedded.ts';
import { type ScratchRepository, scratchRepository } from '../scratch-repository.fixture.ts';

/** An agent behind a URL that counts what it is asked. */
interface CountingAgent extends AsyncDisposable {
  url: string;
  /** How many calls there were so far. */
  calls: () => number;
  /** While it is held, nobody is answered. */
  hold: () => void;
  release: () => void;
  whenCalled: () => Promise<void>;
}

export async function countingAgent(
  answer: (question: string, path: string) => string = () => 'to 17',
): Promise<CountingAgent> {
  let [calls, gate] = [0, Promise.withResolvers<void>()];
  gate.resolve();
  const server = createServer((request, response) => {
    calls += 1;
    server.emit('called');
    void bodyOf(request).then(async (text) => {
      await gate.promise;
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ output: answer(text, request.url ?? ''), usage: { prompt_tokens: 6, completion_tokens: 4 } }),
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The agent has no port');
  return {
    url: `http://127.0.0.1:${address.port}/`,
    calls: () => calls,
    hold: () => {
      gate = Promise.withResolvers<void>();
    },
    release: () => gate.resolve(),
    whenCalled: async () => void (await once(server, 'called')),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

/** A suite whose agent is behind this URL, one case per name; `more` stands before the cases. */
export const suiteOf = (url: string, cases: readonly string[], more = ''): string =>
  `name: Support
agent: { name: Agent, instructions: Answer., driver: { type: http, url: "${url}" } }
${more}cases:
${cases
  .map(
    (name) =>
      `  - { name: "${name}", input: "${name}?", expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] } }\n`,
  )
  .join('')}`;

const request: RunRequest = {
  variables: {},
  assignments: [],
  preset: null,
  matrix: {},
  matrixAssignments: [],
  cases: [],
  tags: [],
  difficulty: null,
  repetitions: null,
  compared: false,
  variants: ['head'],
};

interface RunStory {
  /** Files of the base, which runs beside. */
  base?: Record<string, string>;
  parts?: Partial<EmbeddedRunInput>;
}

/** Starts a run of a repository, or goes on with it. */
export async function runIn(repository: ScratchRepository, { base, parts = {} }: RunStory): Promise<EmbeddedRun> {
  await using baseline = await scratchRepository(base ?? {});
  const keys = readModelKeys({});
  if (!keys.ok) throw new Error('no keys');
  const compared = { ...request, variants: ['baseline', 'candidate'], compared: true } satisfies RunRequest;
  return await runEmbedded({
    runId: 'run-1',
    runSeed: 'seed',
    version: '0.1.0',
    environment: {},
    keys: keys.keys,
    root: repository.root,
    definitions: collectDefinitions({ root: repository.root }).definitions,
    ...(base && { baselineDefinitions: collectDefinitions({ root: baseline.root }).definitions }),
    resultsDirectory: join(repository.root, 'results'),
    concurrency: 1,
    signal: new AbortController().signal,
    ...parts,
    request: { ...(base ? compared : request), ...parts.request },
  });
}

/** Runs until so many test runs have ended and stops there; later ones have to be resumed. */
export async function runUntil(ended: number, repository: ScratchRepository, story: RunStory): Promise<EmbeddedRun> {
  const controller = new AbortController();
  let finished = 0;
  const onFinished = () => {
    finished += 1;
    if (finished === ended) controller.abort();
  };
  return await runIn(repository, { ...story, parts: { ...story.parts, onFinished, signal: controller.signal } });
}

/** What a run came to, without what a clock says: summary, verdicts and the reports on disk. */
export async function whatCameOf(run: EmbeddedRun): Promise<unknown> {
  if (!run.ok) throw new Error(JSON.stringify(run.problems));
  const suiteRuns = [];
  for (const { report, verdict, ...suiteRun } of run.suiteRuns) {
    const read = report.ok ? parseReports(await readFile(report.path, 'utf8')) : undefined;
    const stored = read?.ok ? read.reports.map(withoutTimes) : null;
    const { measures: _measures, ...timeless } = verdict ?? { measures: null };
    suiteRuns.push({ ...suiteRun, verdict: timeless, stored });
  }
  return { isInterrupted: run.isInterrupted, suiteRuns };
}
