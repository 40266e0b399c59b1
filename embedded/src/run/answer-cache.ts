import { existsSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { contentHash } from '@proofmark/contracts/content-hash';
import { RecordedConversation } from '@proofmark/contracts/recorded-conversation';
import { hashedModel } from '@proofmark/domain/content-hashes';
import { hasKnownFiles } from '@proofmark/domain/fingerprint';
import { recordConversation } from '@proofmark/domain/plan-rejudging';
import { questionHash } from '@proofmark/domain/plan-rescoring';
import { parseJson } from '@proofmark/process/parse-json';
import { writeWhole } from '../results/result-files.ts';

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
  const { instructions, tools, driver } = agent;
  return contentHash({
    question: questionHash(work),
    instructions,
    tools,
    driver,
    model: hashedModel(model),
    repetition,
    defaultBaseUrl,
    version,
  });
}

/** More answers than this are not kept: the oldest give way. */
const mostAnswers = 5_000;

/** Answers in a folder, a file each, for whoever runs the same again. */
export async function openAnswerCache(folder: string, from: AskedFrom): Promise<AnswerCache> {
  await makeRoom(folder);
  const pathOf = (key: string): string => join(folder, `${key}.json`);
  return {
    recall: async (work) => {
      const key = answerKey(work, from);
      if (key === null || !existsSync(pathOf(key))) return null;
      // What an older version has written is asked anew.
      return RecordedConversation.safeParse(parseJson(await readFile(pathOf(key), 'utf8'))).data ?? null;
    },
    keep: async (work, outcome, testRunId) => {
      const key = answerKey(work, from);
      const recorded = key === null ? null : wholeConversation(testRunId, outcome);
      if (key !== null && recorded !== null) await writeWhole(pathOf(key), JSON.stringify(recorded));
    },
  };
}

/** Null for one that broke, or of which a part is not there. */
export function wholeConversation(testRunId: string, outcome: CaseOutcome): RecordedConversation | null {
  const recording = recordConversation(testRunId, outcome);
  return recording.ok && recording.recorded.error === null && outcome.response !== null ? recording.recorded : null;
}

async function makeRoom(folder: string): Promise<void> {
  const names = existsSync(folder) ? await readdir(folder) : [];
  if (names.length <= mostAnswers) return;
  const dated: { name: string; mtimeMs: number }[] = [];
  for (const name of names) dated.push({ name, mtimeMs: (await stat(join(folder, name))).mtimeMs });
  const oldest = dated.toSorted((a, b) => a.mtimeMs - b.mtimeMs).slice(0, names.length - mostAnswers);
  for (const { name } of oldest) await rm(join(folder, name), { force: true });
}
