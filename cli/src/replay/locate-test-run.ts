import { resolve } from 'node:path';
import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { CaseWork } from '@proofmark/contracts/case-work';
import { plural } from '@proofmark/domain/format-numbers';
import { findTestRun } from '@proofmark/embedded/find-test-run';
import { z } from 'zod';
import type { CommandContext } from '../arguments/command.ts';
import { type ExitCode, exitCodes } from '../arguments/exit-code.ts';
import { errorWords, type OpenCoordinator, openCoordinator } from '../coordinator/open-coordinator.ts';

/** A test run that can be repeated: what it was given, and what came of it. */
export interface Repeatable {
  id: string;
  work: CaseWork;
  outcome: CaseOutcome;
  /** The version that made it; null when nobody knows. */
  version: string | null;
}

export type LocatedTestRun =
  /** `coordinator`: who has it; null for one of the results files. */
  | { ok: true; stored: Repeatable; coordinator: OpenCoordinator | null }
  | { ok: false; code: ExitCode; message: string };

interface Asked {
  id: string;
  /** Where results are kept. */
  results: string;
  coordinator: string | undefined;
}

const mostChoices = 40;

/** The stored test run of an id: a UUID is one of a coordinator, everything else one of the results files. */
export async function locateTestRun(asked: Asked, context: CommandContext): Promise<LocatedTestRun> {
  return z.uuid().safeParse(asked.id).success ? await fromCoordinator(asked, context) : await fromFiles(asked, context);
}

const wrong = (message: string): LocatedTestRun => ({ ok: false, code: exitCodes.wrongUsage, message });

async function fromFiles({ id, results }: Asked, { cwd }: CommandContext): Promise<LocatedTestRun> {
  const found = await findTestRun({ id, folders: [cwd, resolve(cwd, results)] });
  if (found.kind === 'missing') return wrong(found.message);
  if (found.kind === 'choices') {
    const { ids } = found;
    const more = ids.length > mostChoices ? `\nand ${ids.length - mostChoices} more` : '';
    const shown = ids.slice(0, mostChoices).join('\n');
    return wrong(`${id} has ${plural(ids.length, 'test run')}. Name one:\n${shown}${more}`);
  }
  const { line, version } = found.testRun;
  const { work, outcome } = line;
  if (work === null) return wrong(`${found.testRun.id} was never run (${outcome.errorMessage}): nothing to repeat.`);
  return { ok: true, stored: { id: found.testRun.id, work, outcome, version }, coordinator: null };
}

async function fromCoordinator({ id, coordinator }: Asked, context: CommandContext): Promise<LocatedTestRun> {
  const opened = openCoordinator(coordinator, context);
  if (!opened.ok) return wrong(opened.usage);
  const sent = await opened.coordinator.patient.testRunWork(id);
  if (!sent.ok) {
    const code = sent.error.isTransient ? exitCodes.notJudged : exitCodes.wrongUsage;
    return { ok: false, code, message: `${errorWords(sent.error)} (${sent.error.code})` };
  }
  if (sent.answer === null)
    return wrong(`The coordinator knows no test run ${id}. The id of a run is not one of those.`);
  const { status, skipReason } = sent.answer;
  if (status === 'queued' || status === 'running')
    return wrong(`${id} has not ended yet: there is nothing to compare with.`);
  if (status === 'skipped') return wrong(`${id} was never run (${skipReason ?? 'skipped'}): nothing to repeat.`);
  const work = CaseWork.nullish().safeParse(sent.answer.work);
  const outcome = CaseOutcome.safeParse(sent.answer.outcome);
  if (!work.success || !outcome.success) {
    return wrong(`What ${id} was given cannot be read: the coordinator has another version.`);
  }
  if (work.data == null) return wrong(`What ${id} was given is not kept: it was never run, or its payload is too old.`);
  const stored = { id, work: work.data, outcome: outcome.data, version: null };
  return { ok: true, stored, coordinator: opened.coordinator };
}
