import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ABSession, ABTestResult, QuestionMetadata, SessionId } from '@proofmark/contracts/ab-session';
import { CaseWork } from '@proofmark/contracts/case-work';
import { ExecutionStats } from '@proofmark/contracts/execution-stats';
import { parseJson } from '@proofmark/contracts/parse-json';
import {
  renderSessionCsv,
  resultDocument,
  resultFileName,
  sessionDocument,
  sessionFileName,
  sessionIdOfFile,
} from '@proofmark/domain/session-files';
import { noExecutions, statsDocument } from '@proofmark/domain/summarize-session';
import { linesOf } from '@proofmark/process/lines-of';
import { z } from 'zod';
import { writeWhole } from '../results/result-files.ts';

/** Comparisons as files of one folder (seed 003): a file per comparison beside a folder with a file per result. */
export interface ComparisonStore {
  /** Returns the path of the result's file; it is on disk when this resolves. */
  saveResult: (result: ABTestResult) => Promise<string>;
  /** Writes the comparison with all its results, as JSON and as CSV. */
  saveComparison: (comparison: ABSession) => Promise<{ json: string; csv: string }>;
  /** The comparison with every result on disk, also those of a process that was killed; null when there is none. */
  loadComparison: (comparisonId: string) => Promise<ABSession | null>;
  /** Sorted; empty when there is no such folder. */
  listComparisons: () => Promise<string[]>;
  savePlan: (comparisonId: string, plan: ComparisonPlan) => Promise<void>;
  /** What is to be asked and how; null for a comparison that was not made here. */
  loadPlan: (comparisonId: string) => Promise<ComparisonPlan | null>;
  saveStats: (comparisonId: string, stats: ExecutionStats) => Promise<void>;
  loadStats: (comparisonId: string) => Promise<ExecutionStats>;
}

export interface ComparisonPlan {
  settings: AbSettings;
  pairs: AbPair[];
}

export function comparisonStore(resultsDirectory: string): ComparisonStore {
  const place = (...names: string[]): string => join(resultsDirectory, ...names);
  const folderOf = (comparisonId: string): string => place(checked(comparisonId));
  return {
    saveResult: async (result) =>
      await writeWhole(join(folderOf(result.session_id), resultFileName(result)), json(resultDocument(result))),
    saveComparison: async (comparison) => {
      const id = checked(comparison.session_id);
      return {
        json: await writeWhole(place(sessionFileName(id, 'json')), json(sessionDocument(comparison))),
        csv: await writeWhole(place(sessionFileName(id, 'csv')), renderSessionCsv(comparison)),
      };
    },
    loadComparison: async (comparisonId) => {
      // Whoever asks for an id that cannot be one gets the same answer as for one that nobody has.
      if (!SessionId.safeParse(comparisonId).success) return null;
      const path = place(sessionFileName(comparisonId, 'json'));
      const comparison = await readJson(path, ABSession);
      return comparison && withResults(comparison, await readResults(folderOf(comparisonId), comparisonId));
    },
    listComparisons: async () =>
      (await entries(resultsDirectory)).flatMap((name) => sessionIdOfFile(name) ?? []).sort(),
    savePlan: async (comparisonId, { settings, pairs }) => {
      await mkdir(folderOf(comparisonId), { recursive: true });
      await writeWhole(
        join(folderOf(comparisonId), 'pairs.jsonl'),
        pairs.map((pair) => `${JSON.stringify(pair)}\n`).join(''),
      );
      await writeWhole(join(folderOf(comparisonId), 'settings.json'), json(settings));
    },
    loadPlan: async (comparisonId) => {
      const settings = await readJson(join(folderOf(comparisonId), 'settings.json'), AbSettings);
      return settings && { settings, pairs: await readPairs(join(folderOf(comparisonId), 'pairs.jsonl')) };
    },
    saveStats: async (comparisonId, stats) =>
      void (await writeWhole(join(folderOf(comparisonId), 'statistics.json'), json(statsDocument(stats)))),
    loadStats: async (comparisonId) =>
      (await readJson(join(folderOf(comparisonId), 'statistics.json'), ExecutionStats)) ?? noExecutions(),
  };
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function checked(comparisonId: string): string {
  if (!SessionId.safeParse(comparisonId).success)
    throw new ExecutionError(`${comparisonId} cannot be the id of a session`);
  return comparisonId;
}

interface Schema<Value> {
  safeParse: (value: unknown) => { success: true; data: Value } | { success: false; error: Error };
}

async function readJson<Value>(path: string, schema: Schema<Value>): Promise<Value | null> {
  const text = await readText(path);
  if (text === null) return null;
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new ExecutionError(`${path} cannot be read: ${parsed.error.message}`);
}

async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function entries(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

async function readResults(folder: string, comparisonId: string): Promise<ABTestResult[]> {
  const results: ABTestResult[] = [];
  for (const name of await entries(folder)) {
    if (!name.startsWith(`${comparisonId}__`) || !name.endsWith('.json')) continue;
    const result = await readJson(join(folder, name), ABTestResult);
    if (result !== null) results.push(result);
  }
  return results;
}

/** The file of a comparison may be older than its newest results. */
function withResults(comparison: ABSession, onDisk: readonly ABTestResult[]): ABSession {
  const known = new Set(comparison.results.map(({ timestamp }) => timestamp));
  const results = [...comparison.results, ...onDisk.filter(({ timestamp }) => !known.has(timestamp))];
  return { ...comparison, results: results.sort((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp)) };
}

async function readPairs(path: string): Promise<AbPair[]> {
  const pairs: AbPair[] = [];
  for await (const line of linesOf(createReadStream(path, 'utf8'))) {
    pairs.push(AbPair.parse(JSON.parse(line)));
  }
  return pairs;
}

/** One side of a pair: what its agent is asked with, or why it cannot be asked at all. */
const PairSide = z.union([z.strictObject({ work: CaseWork }), z.strictObject({ error: z.string() })]);
export type PairSide = z.infer<typeof PairSide>;

/** One question for both agents. */
export const AbPair = z.strictObject({
  /** Tells it from every other pair of the session. */
  key: z.string(),
  question: z.string(),
  /** What is known of the question: suite, case, cell, repetition, difficulty, tags. */
  metadata: QuestionMetadata,
  /** Whether there is anything to judge the answers by. */
  isJudged: z.boolean().default(true),
  baseline: PairSide,
  candidate: PairSide,
});
export type AbPair = z.infer<typeof AbPair>;

/** How a comparison is run; kept with it, so that an interrupted one goes on in the same way. */
export const AbSettings = z.strictObject({
  /** Pause between the two calls of a pair, for caches of the provider to expire. */
  cache_reset_ms: z.int().min(0).default(100),
  /** Both calls of a pair at once. */
  concurrent: z.boolean().default(false),
  /** Who is asked first when it is not left to chance: the sides in turn, or always the baseline. */
  order: z.enum(['alternating', 'baseline_first']).default('alternating'),
  /** Null: nothing is left to chance. */
  order_seed: z.string().nullable().default(null),
  /** Each side answers once before the first question, and that counts nowhere: a first call is slower than all others. */
  warm_up: z.boolean().default(true),
  pairs_at_once: z.int().min(1).default(1),
  context_tokens: z.int().min(0).default(0),
  max_attempts: z.int().min(1).default(3),
  initial_delay_ms: z.number().min(0).default(100),
  backoff_factor: z.number().min(1).default(2),
  /** The project whose files are read, from the folder of results; null: that of whoever goes on with it. */
  root: z.string().nullable().default(null),
});
export type AbSettings = z.infer<typeof AbSettings>;

/**
 * The engine itself could not go on: a result that cannot be written, a comparison that cannot be read. What goes wrong
 * with an agent is never this; it is the `error` of its response.
 */
export class ExecutionError extends Error {
  override readonly name = 'ExecutionError';
}

/** Runs a step of the engine; whatever it throws is an `ExecutionError` that says what was tried. */
export async function asExecution<Value>(attempted: string, step: () => Promise<Value>): Promise<Value> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof ExecutionError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ExecutionError(`${attempted}: ${reason}`, { cause: error });
  }
}
