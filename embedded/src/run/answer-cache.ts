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
  return contentHash([questionHash(work), askedHash(agent, model), repetition, defaultBaseUrl, version]);
}

interface AskedHash {
  model: CaseWork['model'];
  hash: string;
}
const askedHashes = new WeakMap<CaseWork['agent'], AskedHash>();

/** What an agent is told, and the model that is asked: nearly all test runs of a suite share both, and so its hash. */
function askedHash(agent: CaseWork['agent'], model: CaseWork['model']): string {
  const known = askedHashes.get(agent);
  if (known?.model === model) return known.hash;
  const { instructions, tools, driver } = agent;
  const hash = contentHash({ instructions, tools, driver, model: hashedModel(model) });
  askedHashes.set(agent, { model, hash });
  return hash;
}

/** How much is kept, the newest answers: a run reads them all before it begins. */
const mostKept = { answers: 5_000, bytes: 32e6 };

/** Answers in one file, for whoever runs the same again. Closing waits for the last one to be written. */
export async function openAnswerCache(
  path: string,
  from: AskedFrom,
  most = mostKept,
): Promise<AnswerCache & AsyncDisposable> {
  const known = await readKnown(path, most);
  const earlier = known.places.size === 0 ? undefined : await open(path, 'r');
  const added = addAnswers(path, known, most);
  // Asked for before a test run, and taken after it.
  const keys = new Map<CaseWork, string | null>();
  const keyOf = (work: CaseWork): string | null => {
    const key = keys.get(work) ?? answerKey(work, from);
    keys.set(work, key);
    return key;
  };
  return {
    recall: async (work) => {
      const key = keyOf(work) ?? '';
      const place = known.places.get(key);
      return place === undefined || earlier === undefined ? null : await readAnswer(earlier, place, key);
    },
    keep: async (work, outcome, testRunId) => {
      const key = keyOf(work);
      keys.delete(work);
      const recorded = key === null ? null : wholeConversation(testRunId, outcome);
      if (key !== null && recorded !== null) added.append(key, JSON.stringify({ key, recorded }));
    },
    async [Symbol.asyncDispose]() {
      await added[Symbol.asyncDispose]();
      await earlier?.close();
    },
  };
}

/** What a file of answers holds: where the answer to each question stands, and how long the file is. */
interface Known {
  places: ReadonlyMap<string, LinePlace>;
  bytes: number;
}

interface AddedAnswers extends AsyncDisposable {
  append: (key: string, line: string) => void;
}

/** Puts answers behind the known ones, one after another. Nobody waits for them. */
function addAnswers(path: string, known: Known, most: typeof mostKept): AddedAnswers {
  let keys = new Set(known.places.keys());
  let { bytes } = known;
  let lines = appendLater(path);
  const add = async (key: string, line: string): Promise<void> => {
    lines.append(line);
    keys.add(key);
    bytes += Buffer.byteLength(line) + 1;
    if (keys.size <= most.answers && bytes <= most.bytes) return;
    // The file becomes another one: all lines have to be in it before, and the next ones go into the new one.
    await lines[Symbol.asyncDispose]();
    const left = await readKnown(path, most);
    keys = new Set(left.places.keys());
    bytes = left.bytes;
    lines = appendLater(path);
  };
  let turn: Promise<void> = Promise.resolve();
  return {
    append: (key, line) => {
      turn = turn.then(() => add(key, line));
      // Who closes is told of a failure; until then it must not end the process.
      turn.catch(() => undefined);
    },
    async [Symbol.asyncDispose]() {
      await turn;
      await lines[Symbol.asyncDispose]();
    },
  };
}

const keyOfLine = /^\{"key":"([0-9a-f]{64})"/;

/** What the file holds; what is too much is removed from it first. */
async function readKnown(path: string, most: typeof mostKept): Promise<Known> {
  const known = await readPlaces(path);
  if (known.places.size <= most.answers && known.bytes <= most.bytes) return known;
  await keepNewest(path, known, most);
  return await readPlaces(path);
}

/** Of several answers to a question, the last one that was given. */
async function readPlaces(path: string): Promise<Known> {
  const places = new Map<string, LinePlace>();
  if (!existsSync(path)) return { places, bytes: 0 };
  let bytes = 0;
  for await (const { text, place, isLast } of readPlacedLines(path)) {
    bytes = place.offset + place.length + 1;
    const [, key] = keyOfLine.exec(text) ?? [];
    if (key === undefined || isLast) continue;
    // Set anew, so that the map is in the order of the file.
    places.delete(key);
    places.set(key, place);
  }
  return { places, bytes };
}

/** Three quarters of what may be kept: the next answers have room. */
async function keepNewest(path: string, { places }: Known, most: typeof mostKept): Promise<void> {
  const newest: [string, LinePlace][] = [];
  let bytes = 0;
  for (const [key, place] of [...places].toReversed()) {
    bytes += place.length + 1;
    if (newest.length >= 0.75 * most.answers || bytes > 0.75 * most.bytes) break;
    newest.unshift([key, place]);
  }
  await using lines = await openLines(path);
  const kept: string[] = [];
  for (const [key, place] of newest) {
    const line = await lines.line(place);
    // Another run may have removed what was too much: then something else stands there.
    if (keyOfLine.exec(line)?.[1] === key) kept.push(`${line}\n`);
  }
  await writeWhole(path, kept.join(''));
}

const Line = z.object({ key: z.string(), recorded: RecordedConversation });

/** Null for what an older version has written, and where the file is not what it was any more: it is asked anew. */
async function readAnswer(
  file: FileHandle,
  { offset, length }: LinePlace,
  key: string,
): Promise<RecordedConversation | null> {
  const { buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, offset);
  const line = Line.safeParse(parseJson(buffer.toString('utf8'))).data;
  return line?.key === key ? line.recorded : null;
}

/** Null for one that broke, or of which a part is not there. */
export function wholeConversation(testRunId: string, outcome: CaseOutcome): RecordedConversation | null {
  const recording = recordConversation(testRunId, outcome);
  return recording.ok && recording.recorded.error === null && outcome.response !== null ? recording.recorded : null;
}
