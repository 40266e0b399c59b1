import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { aCase, type CaseStory, casePorts } from '../case/a-case.fixture.ts';
import type { CasePorts } from '../case/case-state.ts';
import { readKeyRing } from '../models/key-ring.ts';
import { runCase } from '../run-case/run-case.ts';
import { reachAgents } from './reach-agents.ts';

/** A key of the operator, which no agent may see. */
export const secret = 'sk-test-0123456789abcdefghij';

/** Runs the default case with an agent that is reached from here. */
export async function runOwn(
  story: CaseStory,
  {
    programs = true,
    allowsLoopback = true,
    graceMs = 5_000,
    pauses = [] as number[],
    userId = undefined as number | undefined,
  } = {},
): Promise<CaseOutcome> {
  const ring = readKeyRing({ OPENAI_API_KEY: secret }, { allowsLoopback });
  if (!ring.ok) throw new Error(ring.problems.join('\n'));
  const environment = { PATH: '/usr/bin:/bin', OPENAI_API_KEY: secret, HOME: '/nowhere' };
  const options = programs
    ? { directory: process.cwd(), environment, graceMs, ...(userId === undefined ? {} : { userId }) }
    : null;
  await using reach = reachAgents({ keys: ring.keys, now: () => new Date(), programs: options });
  return await runCase(
    aCase({ ...story, limits: { agentTimeoutMs: 5_000, caseTimeoutMs: 20_000, ...story.limits } }),
    casePorts({ reach, pause: async (ms) => void pauses.push(ms), ...conversing(story) }),
    new AbortController().signal,
  );
}

/** The simulated person says "More." until the turns are used up. */
export function conversing({ case: told }: CaseStory): Partial<CasePorts> {
  if (told?.kind !== 'simulated') return {};
  const said = {
    text: '{"action":"say","message":"More.","reason":null}',
    calls: [],
    usage: null,
    model: null,
    flags: [],
  };
  const embed = (): never => {
    throw new Error('Nothing is embedded here');
  };
  return { models: { chat: async () => ({ ok: true, value: said }), embed } };
}

/** A conversation in which the person speaks so often. */
export const turns = (max_turns: number): CaseStory => ({
  case: { kind: 'simulated', input: null, initial_message: 'Hello', max_turns },
  simulator: {
    settings: { ai_configuration: 'sim', temperature: 0.7, first_speaker: 'user', review: 'off' },
    model: { configuration: 'sim', provider: 'openai', model: 'person-1' },
  },
});
