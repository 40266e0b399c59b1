import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { Simulator } from '@proofmark/contracts/suite';
import type { z } from 'zod';
import { aCase, type CaseStory, casePorts } from '../case/a-case.fixture.ts';
import type { CallResult, ChatAnswer, ChatRequest } from '../models/model-port.ts';
import { type CasePorts, runCase } from '../run-case/run-case.ts';

/** What the simulator's model answers: a text as it is, anything else as JSON; a failure ends the call. */
type Line = string | object | { failure: Extract<CallResult<never>, { ok: false }>['failure'] };

export interface PersonStory extends Omit<CaseStory, 'simulator'> {
  /** The answers in turn, the last one again and again. */
  lines: readonly Line[];
  settings?: Partial<z.input<typeof Simulator>> | undefined;
  /** The suite has no simulator. */
  isWithout?: boolean;
  /** Answers a call before the lines do; undefined leaves it to them. */
  chat?: (
    settings: ModelSettings,
    signal: AbortSignal,
    request: ChatRequest,
  ) => Promise<CallResult<ChatAnswer> | undefined>;
  /** Reads the files of the case. */
  files?: CasePorts['files'];
}

interface Played {
  outcome: CaseOutcome;
  /** Every request that the simulator's model got. */
  asked: ChatRequest[];
  /** Messages of the person as the agent got them. */
  said: string[];
}

/** For tests: runs a simulated case against a model that plays the person from a list of lines. */
export async function playPerson({
  lines,
  settings,
  isWithout,
  chat: other,
  files,
  ...story
}: PersonStory): Promise<Played> {
  const asked: ChatRequest[] = [];
  const simulator: CaseWork['instrument']['simulator'] = {
    settings: Simulator.parse({ ai_configuration: 'sim', ...settings }),
    model: { configuration: 'sim', provider: 'openai', model: 'person-1', price: { input: 1, output: 1 } },
  };
  const work = aCase({
    ...story,
    case: { kind: 'simulated', input: null, initial_message: 'My order is late', ...story.case },
    simulator: isWithout ? null : simulator,
  });
  const noEmbedding = async (): Promise<never> => {
    throw new Error('Nothing is embedded here');
  };
  const chat: CasePorts['models']['chat'] = async (model, request, signal) => {
    const given = await other?.(model, signal, request);
    if (given) return given;
    const line = lines[Math.min(asked.length, lines.length - 1)] ?? say('go on');
    asked.push(request);
    return answer(line);
  };
  const outcome = await runCase(
    work,
    casePorts({ models: { chat, embed: noEmbedding }, ...(files && { files }) }),
    new AbortController().signal,
  );
  const said = outcome.transcript.filter(({ role }) => role === 'user').map(({ text }) => text);
  return { outcome, asked, said };
}

/** The action of saying this. */
export const say = (message: string | null) => ({ action: 'say', message, reason: null });

/** The action of leaving, with a last message or without. */
export const end = (message: string | null = null, reason: string | null = 'goal_met') => ({
  action: 'end',
  message,
  reason,
});

function answer(line: Line): CallResult<ChatAnswer> {
  if (typeof line === 'object' && 'failure' in line) return { ok: false, failure: line.failure };
  const text = typeof line === 'string' ? line : JSON.stringify(line);
  const usage = { promptTokens: 100, completionTokens: 10 };
  return { ok: true, value: { text, calls: [], usage, model: 'person-1-served', flags: [] } };
}
