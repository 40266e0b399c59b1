import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { TestRunStatus } from '@proofmark/contracts/error-kind';
import { parseJson } from '@proofmark/contracts/parse-json';
import type { RecordedConversation } from '@proofmark/contracts/recorded-conversation';
import { type RecordingGap, recordConversation } from '@proofmark/domain/plan-rejudging';
import { type AnsweredSuiteRun, type KeptAnswer, planRescoring, questionHash } from '@proofmark/domain/plan-rescoring';
import type { PlannedSuiteRun, PlannedTestRun, RunRequest } from '@proofmark/domain/plan-run';
import { z } from 'zod';
import { type LinePlace, openLines, readPlacedLines } from '../results/result-files.ts';
import { lineReader, type ResultLine } from '../results/result-line.ts';
import { furtherFolders } from '../results/run-folder.ts';

/** Which test run of a run. */
export interface NamedTestRun {
  suiteName: string;
  cellKey: string;
  caseName: string;
  repetition: number;
}

/** The stored answers of a run, to be judged anew. Of each answer memory holds where it stands, not what was said. */
export interface Rescoring extends AsyncDisposable {
  /** The run whose answers they are. */
  runId: string;
  /** What that run was asked for; the cases, values and cells of it are rescored. */
  request: RunRequest;
  suiteNames: ReadonlySet<string>;
  answers: number;
  /** Today's definitions on these answers. */
  plan: (suiteRuns: readonly PlannedSuiteRun[]) => PlannedSuiteRun[];
  /** What was said in the test run that this one judges. */
  recall: (testRun: PlannedTestRun) => Promise<RecordedConversation>;
  /** What the test run came to then; undefined when it was not there. */
  before: (testRun: NamedTestRun) => TestRunStatus | undefined;
}

type OpenedRescoring = { ok: true; rescoring: Rescoring } | { ok: false; message: string };

interface StoredAnswer extends KeptAnswer {
  path: string;
  place: LinePlace;
  testRunId: string;
}

type StoredSuiteRun = AnsweredSuiteRun<StoredAnswer> & { answers: Map<string, StoredAnswer[]> };

const values = z.union([z.string(), z.number(), z.boolean()]);
const RunFile = z.looseObject({
  run_id: z.string(),
  request: z
    .object({
      variables: z.record(z.string(), values),
      assignments: z.array(z.object({ name: z.string(), text: z.string() })),
      preset: z.string().nullable(),
      matrix: z.record(z.string(), z.array(values)),
      matrixAssignments: z.array(z.object({ name: z.string(), values: z.array(z.string()) })),
      cases: z.array(z.string()),
      tags: z.array(z.string()),
      difficulty: z.enum(['normal', 'hard']).nullable(),
    })
    .optional(),
});

const everything = {
  ...{ variables: {}, assignments: [], preset: null, matrix: {}, matrixAssignments: [] },
  ...{ cases: [], tags: [], difficulty: null },
};

/** Reads the folder of a run that has ended, a line at a time. */
export async function openRescoring(folder: string): Promise<OpenedRescoring> {
  if (!existsSync(folder)) return { ok: false, message: `There is no folder ${folder}` };
  const runPath = join(folder, 'run.json');
  if (!existsSync(runPath))
    return { ok: false, message: `${folder} holds no run that has ended (run.json is missing)` };
  const file = RunFile.safeParse(parseJson(await readFile(runPath, 'utf8')));
  if (!file.success) return { ok: false, message: `${runPath} is not the file of a run` };
  const stored = await readAnswers(folder);
  if (typeof stored === 'string') return { ok: false, message: stored };
  const answers = [...stored.suiteRuns.values()].flatMap((one) => [...one.answers.values()].flat()).length;
  if (answers === 0) return { ok: false, message: `${folder} holds no answers (results.jsonl) that could be rescored` };
  const { run_id: runId, request = everything } = file.data;
  const origins = new WeakMap<PlannedTestRun, StoredAnswer>();
  const readers = openReaders();
  return {
    ok: true,
    rescoring: {
      ...{ runId, answers, suiteNames: stored.suiteNames },
      request: { ...request, repetitions: 1, compared: false, variants: ['head'] },
      plan: (suiteRuns) =>
        suiteRuns.map((planned) =>
          planRescoring(planned, stored.suiteRuns.get(keyOf(planned)) ?? null, (testRun, answer) => {
            origins.set(testRun, answer);
          }),
        ),
      recall: async (testRun) => {
        const answer = origins.get(testRun);
        if (answer === undefined) throw new Error(`${testRun.caseName} has no stored answer`);
        return recordingOf(answer, await readers.line(answer.path, answer.place));
      },
      before: (testRun) => stored.statuses.get(statusKey(testRun)),
      [Symbol.asyncDispose]: () => readers[Symbol.asyncDispose](),
    },
  };
}

const keyOf = ({ suiteName, cellKey }: Pick<NamedTestRun, 'suiteName' | 'cellKey'>): string =>
  JSON.stringify([suiteName, cellKey]);
const statusKey = ({ caseName, repetition, ...place }: NamedTestRun): string =>
  `${keyOf(place)}${repetition} ${caseName}`;

async function readAnswers(folder: string) {
  const suiteRuns = new Map<string, StoredSuiteRun>();
  const statuses = new Map<string, TestRunStatus>();
  const suiteNames = new Set<string>();
  const entries = await readdir(folder, { recursive: true });
  // What settled a suspicion or was judged beside the run is not what the run itself was told.
  const files = entries.filter(
    (entry) => basename(entry) === 'results.jsonl' && !furtherFolders.includes(entry.split(sep)[0] ?? ''),
  );
  for (const entry of files.toSorted()) {
    const same = interned();
    for await (const { result, place } of readResults(join(folder, entry))) {
      if (result === null)
        return `${join(folder, entry)} holds something else than results at byte ${place.offset}: it was changed since, or another version wrote it`;
      const { suite: suiteName, cell: cellKey, case_name: caseName, repetition, outcome } = result;
      suiteNames.add(suiteName);
      statuses.set(statusKey({ suiteName, cellKey, caseName, repetition }), outcome.status);
      const answer = answerOf(result, { path: join(folder, entry), place, entry }, same);
      if (answer === null) continue;
      const key = keyOf({ suiteName, cellKey });
      const suiteRun = suiteRuns.get(key) ?? openSuiteRun(result);
      suiteRuns.set(key, suiteRun);
      const known = suiteRun.answers.get(caseName) ?? [];
      suiteRun.answers.set(caseName, [...known, answer]);
    }
  }
  return { suiteRuns, statuses, suiteNames };
}

/** The results of a file with their places, null for what is none; those of a base that ran beside are left out, and so is a last line that was cut. */
async function* readResults(path: string): AsyncGenerator<{ result: ResultLine | null; place: LinePlace }> {
  const read = lineReader();
  for await (const { text, place, isLast } of readPlacedLines(path)) {
    if (isLast && parseJson(text) === undefined) return;
    const line = read(text);
    if (line.kind === 'foreign') yield { result: null, place };
    if (line.kind === 'result' && line.result.variant !== 'baseline') yield { result: line.result, place };
  }
}

function openSuiteRun({ agent_hash: agentHash, setting_key: settingKey }: ResultLine): StoredSuiteRun {
  const answers = new Map<string, StoredAnswer[]>();
  return { agentHash, settingKey, answers, answersOf: (caseName) => answers.get(caseName) ?? [] };
}

/** Null for what was decided without asking the agent. */
function answerOf(
  { work, outcome, case_name: caseName, repetition, run_id }: ResultLine,
  { path, place, entry }: { path: string; place: LinePlace; entry: string },
  same: (settings: Settings) => Settings,
): StoredAnswer | null {
  if (work === null) return null;
  const testRunId = [
    run_id,
    ...entry.split(sep).slice(0, -1),
    repetition === 1 ? caseName : `${caseName}#${repetition}`,
  ].join('/');
  const recording = recordConversation(testRunId, outcome);
  const gap: RecordingGap | null = recording.ok ? null : recording.gap;
  return {
    ...{ repetition, gap, path, place, testRunId, question: questionHash(work), seed: work.seed },
    ...same({ agent: work.agent, model: work.model, resolvedVariables: work.resolvedVariables }),
  };
}

type Settings = Pick<KeptAnswer, 'agent' | 'model' | 'resolvedVariables'>;

/** Equal values as one: each line of a file is read into objects of its own. */
function interned() {
  const known = new Map<string, Settings>();
  return (settings: Settings): Settings => {
    const key = JSON.stringify(settings);
    const found = known.get(key) ?? settings;
    known.set(key, found);
    return found;
  };
}

const Line = z.looseObject({ outcome: z.unknown() });

function recordingOf({ testRunId }: StoredAnswer, text: string): RecordedConversation {
  const outcome = CaseOutcome.parse(Line.parse(JSON.parse(text)).outcome);
  const recording = recordConversation(testRunId, outcome);
  if (!recording.ok) throw new Error(`${testRunId} was whole and is ${recording.gap} now`);
  return recording.recorded;
}

/** Each file is opened when its first line is asked for. */
function openReaders() {
  const open = new Map<string, ReturnType<typeof openLines>>();
  return {
    line: async (path: string, place: LinePlace): Promise<string> => {
      const reader = open.get(path) ?? openLines(path);
      open.set(path, reader);
      return await (await reader).line(place);
    },
    async [Symbol.asyncDispose]() {
      for (const reader of open.values()) await (await reader)[Symbol.asyncDispose]();
    },
  };
}
