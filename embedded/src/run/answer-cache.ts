import { existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { contentHash } from '@proofmark/contracts/content-hash';
import { parseJson } from '@proofmark/contracts/parse-json';
import { RecordedConversation } from '@proofmark/contracts/recorded-conversation';
import { hashedModel } from '@proofmark/domain/content-hashes';
import { hasKnownFiles } from '@proofmark/domain/fingerprint';
import { recordConversation } from '@proofmark/domain/plan-rejudging';
import { questionHash } from '@proofmark/domain/plan-rescoring';
import { z } from 'zod';
import { appendLater, type LinePlace, openLines, readPlacedLines, writeWhole } from '../results/result-files.ts';

/** Answers that are known before anybody is asked. */
export interface AnswerCache {
  /** What was said to the same question by the same agent; null: it has to be asked. */
  recall: (work: CaseWork) => Promise<RecordedConversation | null>;
  /** Keeps what was said, where it was said to its end. */
  keep: (work: CaseWork, outcome: CaseOutcome, testRunId: string) => Promise<void>;
}

/** What decides answers and stands in no definition. */
export interface AskedFrom {
  /** Where models are that name no address. */
  defaultBaseUrl: string;
  /** Of Proofmark, which has its own part in what a model is told. */
  version: string;
}

/**
 * Everything that decides an answer: the question with its files and mocks, the agent, its model and where that is, and
 * which of several repetitions it is. Null for an agent that is a program or a service, because what it does stands in no
 * definition, and for a case with a file of which nobody knows what it holds by now.
 */
export function answerKey(work: CaseWork, { defaultBaseUrl, version }: AskedFrom): string | null {
  const { agent, model, repetition } = work;
  if (agent.driver.type !== 'openai' || !hasKnownFiles(work)) return null;
  const asked = { question: questionHash(work), agent: toldHash(agent), model: hashedModel(model) };
  return contentHash({ ...asked, repetition, defaultBaseUrl, version });
}

const toldHashes = new WeakMap<CaseWork['agent'], string>();

/** What an agent is told; all test runs of a suite share it. */
function toldHash(agent: CaseWork['agent']): string {
  const { instructions, tools, driver } = agent;
  const hash = toldHashes.get(agent) ?? contentHash({ instructions, tools, driver });
  toldHashes.set(agent, hash);
  return hash;
}

/** No more than these are kept, the newest ones: a run reads them all before it begins. */
const most = { answers: 5_000, bytes: 32e6 };

/** Answers in one file, for whoever runs the same again. Closing waits for the last one to be written. */
export async function openAnswerCache(path: string, from: AskedFrom): Promise<AnswerCache & AsyncDisposable> {
  const known = await readKnown(path);
  const earlier = known.size === 0 ? undefined : await open(path, 'r');
  const added = appendLater(path);
  // Asked for before a test run and after it.
  const keys = new WeakMap<CaseWork, string | null>();
  const keyOf = (work: CaseWork): string | null => {
    const key = keys.get(work) ?? answerKey(work, from);
    keys.set(work, key);
    return key;
  };
  return {
    recall: async (work) => {
      const place = known.get(keyOf(work) ?? '');
      return place === undefined || earlier === undefined ? null : await readAnswer(earlier, place);
    },
    keep: async (work, outcome, testRunId) => {
      const key = keyOf(work);
      const recorded = key === null ? null : wholeConversation(testRunId, outcome);
      if (recorded !== null) added.append(JSON.stringify({ key, recorded }));
    },
    async [Symbol.asyncDispose]() {
      await added[Symbol.asyncDispose]();
      await earlier?.close();
    },
  };
}

const keyOfLine = /^\{"key":"([0-9a-f]{64})"/;

/** Where the answer to each question stands: the last one that was given. What is too much is removed from the file. */
async function readKnown(path: string): Promise<Map<string, LinePlace>> {
  const known = new Map<string, LinePlace>();
  if (!existsSync(path)) return known;
  let end = 0;
  for await (const { text, place, isLast } of readPlacedLines(path)) {
    end = place.offset + place.length;
    const [, key] = keyOfLine.exec(text) ?? [];
    if (key === undefined || isLast) continue;
    // Set anew, so that the map is in the order of the file.
    known.delete(key);
    known.set(key, place);
  }
  if (known.size <= most.answers && end <= most.bytes) return known;
  await keepNewest(path, known);
  return await readKnown(path);
}

/** Three quarters of what may be kept: the next runs have room. */
async function keepNewest(path: string, known: ReadonlyMap<string, LinePlace>): Promise<void> {
  const newest: LinePlace[] = [];
  let bytes = 0;
  for (const place of [...known.values()].toReversed()) {
    bytes += place.length + 1;
    if (newest.length >= 0.75 * most.answers || bytes > 0.75 * most.bytes) break;
    newest.unshift(place);
  }
  await using lines = await openLines(path);
  const kept: string[] = [];
  for (const place of newest) kept.push(`${await lines.line(place)}\n`);
  await writeWhole(path, kept.join(''));
}

const Line = z.object({ recorded: RecordedConversation });

/** Null for what an older version has written: it is asked anew. */
async function readAnswer(file: FileHandle, { offset, length }: LinePlace): Promise<RecordedConversation | null> {
  const { buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, offset);
  return Line.safeParse(parseJson(buffer.toString('utf8'))).data?.recorded ?? null;
}

/** Null for one that broke, or of which a part is not there. */
export function wholeConversation(testRunId: string, outcome: CaseOutcome): RecordedConversation | null {
  const recording = recordConversation(testRunId, outcome);
  return recording.ok && recording.recorded.error === null && outcome.response !== null ? recording.recorded : null;
}
